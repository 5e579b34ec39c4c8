import { Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { JOB_CATALOGUE, MCP_ROUTES, ROUTES } from '@candor/contracts';
import { sampleQueues } from '@candor/queue';
import { assertRoutesHandled, createHttpApp, HealthModule, type HealthRegistry, type Logger } from '@candor/runtime';
import { authenticationMiddleware } from './access/authentication.middleware.js';
import { corsMiddleware } from './access/cors.middleware.js';
import { AuthenticatorService } from './access/authenticator.service.js';
import { isSignedRequest, signedBodyMiddleware } from './access/signed-requests.middleware.js';
import { mcpOriginMiddleware } from './features/mcp/mcp-origin.middleware.js';
import { MCP_TOOLS } from './features/mcp/tools/mcp-tools.js';
import { challengeOf, isMcpPath } from './features/mcp/protected-resource.js';
import { GatewayModule, type GatewayDependencies } from './gateway.module.js';
import { bodyLimit } from './request/body-limit.js';
import { recordRefusal } from './request/record-refusal.js';
import { RouteCallerService } from './request/route-caller.service.js';
import { RequestTransaction } from './request/request-transaction.service.js';
import { BodyMemory } from './uploads/body-memory.js';
import { LargeBodies } from './uploads/large-bodies.js';
import { isUpload } from './uploads/upload.interceptor.js';

/** The public door, initialised but not listening. Fails when a route has no handler. */
export async function createGatewayApp(
  dependencies: GatewayDependencies,
  options: { logger: Logger; health: HealthRegistry },
): Promise<NestExpressApplication> {
  const bodyMemory = new BodyMemory(dependencies.limits.uploadBytes);
  const largeBodies = new LargeBodies(bodyMemory, isUpload);
  @Module({
    imports: [GatewayModule.forRoot(dependencies, bodyMemory), HealthModule.forRoot({ registry: options.health })],
  })
  class GatewayRootModule {}

  const { mcpAddress } = dependencies;
  // Here and not in the workers: a queue whose workers are all gone has to be seen.
  sampleQueues(dependencies.jobs, [...new Set(JOB_CATALOGUE.map(({ queue }) => queue))]);
  const requests = new RequestTransaction(dependencies.database);
  const app = await createHttpApp(GatewayRootModule, {
    service: 'gateway',
    logger: options.logger,
    bodyLimits: bodyLimit,
    streamsBody: (method, path, contentType) => isSignedRequest(method, path) || isUpload(method, path, contentType),
    beforeBody: [
      corsMiddleware(
        dependencies.corsOrigins ?? [],
        mcpOriginMiddleware(
          mcpAddress,
          signedBodyMiddleware(
            authenticationMiddleware(new AuthenticatorService(dependencies.database), (request) =>
              isMcpPath(request.path) ? challengeOf(request, mcpAddress) : undefined,
            ),
          ),
        ),
      ),
      largeBodies.middleware,
    ],
    onBodyRead: (request, bytes) => largeBodies.noteRead(request, bytes),
    beforeErrorResponse: (context, error) => recordRefusal(requests, context, error),
  });
  assertRoutesHandled(app, [...ROUTES, ...MCP_ROUTES]);
  app.get(RouteCallerService, { strict: false }).requireHandlers(MCP_TOOLS.map(({ route }) => route));
  return app;
}
