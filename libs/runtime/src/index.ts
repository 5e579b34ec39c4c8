export { CallerTokenSigner, createSigner, signingEnvironment } from './caller-token/caller-token-signer.js';
export {
  CredentialCipher,
  credentialOwner,
  encryptionEnvironment,
  type SealedText,
} from './credential-cipher/credential-cipher.js';
export { readKeys } from './credential-cipher/read-keys.js';
export { booleanFromEnv, loadConfig, portFromEnv, type Environment } from './config/load-config.js';
export { GrpcRetrievalClient, type GrpcRetrievalClientOptions } from './grpc/grpc-retrieval.client.js';
export {
  handleRetrievalCall,
  type GrpcCall,
  type RetrievalCallTools,
  type RetrievalInput,
} from './grpc/handle-retrieval-call.js';
export { retrievalGrpcOptions, type RetrievalGrpcServerOptions } from './grpc/retrieval-grpc-options.js';
export {
  GRPC_METHODS,
  RETRIEVAL_SERVICE,
  type GrpcTls,
  type RetrievalWireCall,
  type RetrievalWireReply,
} from './grpc/retrieval-protocol.js';
export {
  HealthRegistry,
  type HealthCheck,
  type HealthCheckOptions,
  type HealthRegistryOptions,
  type HealthReport,
} from './health/health-registry.js';
export { HealthModule, type HealthModuleOptions } from './health/health.module.js';
export { AppErrorFilter, type AppErrorFilterOptions, type BeforeErrorResponse } from './http/app-error.filter.js';
export { assertRoutesHandled } from './http/assert-routes-handled.js';
export { ContractInput } from './http/contract-input.js';
export { Contract, isOperational, Operational, routeOf, type AnyRoute } from './http/contract.decorator.js';
export { createHttpApp, type HttpAppOptions } from './http/create-http-app.js';
export { toErrorBody, type ErrorBody } from './http/error-body.js';
export { findJsonExcess } from './http/find-json-excess.js';
export { mediaTypeOf } from './http/json-body.middleware.js';
export { findRouteHandlers, type RouteHandler } from './http/find-route-handlers.js';
export {
  DEFAULT_GRACE_MS,
  listenUntilSignal,
  type ListenOptions,
  type RunningApp,
} from './http/listen-until-signal.js';
export { parseRouteInput, type InputOf, type RawInput } from './http/parse-route-input.js';
export { readAtMost } from './http/read-at-most.js';
export { requestContextOf } from './http/request-context.middleware.js';
export { toAppError } from './http/to-app-error.js';
export { describeIssues, type FieldIssue } from './issues/describe-issues.js';
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from './logging/create-logger.js';
export { NestPinoLogger } from './logging/nest-pino-logger.js';
export { redactFields } from './logging/redact-fields.js';
export { httpMetricsMiddleware } from './metrics/http-metrics.middleware.js';
export { processMetrics } from './metrics/process-metrics.js';
export {
  createRequestContext,
  currentRequestContext,
  requireRequestContext,
  runInRequestContext,
  type AuditDraft,
  type RequestContext,
} from './request-context/request-context.js';
export { startTelemetry, type StopTelemetry } from './telemetry/start-telemetry.js';
export { extractTrace, injectTrace, type TraceCarrier } from './telemetry/trace-carrier.js';
export { withSpan } from './telemetry/with-span.js';
export { retryUntilReachable } from './startup/retry-until-reachable.js';
export { runAsEntryPoint } from './startup/run-as-entry-point.js';
export { OperationalGet } from './http/operational-get.decorator.js';
export { openLogFile } from './logging/open-log-file.js';
export { grpcTlsEnvironment, grpcTlsFrom, requireWholeGrpcTls } from './grpc/grpc-tls-environment.js';
