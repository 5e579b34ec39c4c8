export { createCandorClient, listAll, type CandorClient, type ListName, type Upload } from './create-client.js';
export { ApiError, CandorError, ConnectionError, DeadlineError, DegradedResultError, toApiError } from './errors.js';
export type { ClientOptions, RetryOptions } from './send-request.js';
export type { CallOptions, EndpointName, Received, Sent } from './types.js';
