export { corsEnvironment } from './access/cors.middleware.js';
export { FirstKeyService } from './access/first-key.service.js';
export { RateLimiterService } from './access/rate-limiter.service.js';
export type { GatewayLimits } from './config.js';
export { gatewayConfigSchema } from './config.js';
export { createGatewayApp } from './create-gateway-app.js';
export { mcpAddressFrom, mcpEnvironment } from './features/mcp/mcp-environment.js';
export { buildOpenApiDocument } from './features/openapi/build-openapi-document.js';
export { main } from './main.js';
