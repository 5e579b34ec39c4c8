/**
 * Every error the product can state, once. `status` is the HTTP status; `retryable` says whether the same call
 * may succeed later without a change by the caller (jobs back off on those and dead-letter the rest).
 * `docs/reference/errors.md` is generated from this table.
 */
export const ERROR_CATALOGUE = {
  'REQUEST.INVALID': { status: 400, retryable: false, message: 'The request does not follow the contract.' },
  'REQUEST.MALFORMED_JSON': { status: 400, retryable: false, message: 'The body is not valid JSON.' },
  'REQUEST.UNKNOWN_ROUTE': { status: 404, retryable: false, message: 'There is no such endpoint.' },
  'REQUEST.METHOD_NOT_ALLOWED': {
    status: 405,
    retryable: false,
    message: 'This endpoint does not answer to the method.',
  },
  'REQUEST.ORIGIN_NOT_ALLOWED': {
    status: 403,
    retryable: false,
    message: 'Pages of this origin may not call this endpoint.',
  },
  'REQUEST.TOO_LARGE': { status: 413, retryable: false, message: 'The body is larger than this endpoint accepts.' },
  'REQUEST.UNSUPPORTED_MEDIA_TYPE': {
    status: 415,
    retryable: false,
    message: 'This endpoint does not accept the content type.',
  },
  'REQUEST.CANCELLED': { status: 499, retryable: false, message: 'The caller went away before the answer was ready.' },
  'AUTH.MISSING_KEY': { status: 401, retryable: false, message: 'Send an API key in the Authorization header.' },
  'AUTH.INVALID_KEY': { status: 401, retryable: false, message: 'The API key is unknown, expired or revoked.' },
  'AUTH.ACTION_NOT_ALLOWED': { status: 403, retryable: false, message: 'The API key does not allow this action.' },
  'AUTH.INVALID_SCOPE': { status: 401, retryable: false, message: 'The signed caller scope is not valid.' },
  'RESOURCE.NOT_FOUND': { status: 404, retryable: false, message: 'Not found.' },
  'RESOURCE.CONFLICT': {
    status: 409,
    retryable: false,
    message: 'The resource is in a state that does not allow this.',
  },
  'API_KEY.SELF_REVOKE': { status: 409, retryable: false, message: 'A key cannot revoke itself.' },
  'IDEMPOTENCY.KEY_REUSED': {
    status: 409,
    retryable: false,
    message: 'This Idempotency-Key was used with another request.',
  },
  'IDEMPOTENCY.IN_PROGRESS': {
    status: 409,
    retryable: true,
    message: 'A request with this Idempotency-Key is still running.',
  },
  'RATE_LIMIT.EXCEEDED': { status: 429, retryable: true, message: 'Too many requests for this key and action.' },
  'QUOTA.EXCEEDED': { status: 403, retryable: false, message: "This would exceed one of the tenant's quotas." },
  'QUOTA.RATE_EXCEEDED': {
    status: 429,
    retryable: true,
    message: "Too many requests for one of the tenant's quotas.",
  },
  'QUOTA.QUEUE_FULL': { status: 429, retryable: true, message: 'Too much of the tenant waits to be indexed.' },
  'SYNTHESIS.INVALID_OUTPUT': {
    status: 502,
    retryable: false,
    message: 'The answer provider did not return the required structure.',
  },
  'SYNTHESIS.PROVIDER_ERROR': { status: 502, retryable: false, message: 'The answer provider failed.' },
  'SYNTHESIS.PROVIDER_TIMEOUT': {
    status: 504,
    retryable: false,
    message: 'The answer provider did not answer in time.',
  },
  'SYNTHESIS.CIRCUIT_OPEN': {
    status: 503,
    retryable: true,
    message: 'The answer provider failed repeatedly and is being given time to recover.',
  },
  'SYNTHESIS.QUOTATIONS_MISSING': {
    status: 503,
    retryable: true,
    message: 'The answer came without the quotations that were asked for.',
  },
  'DEADLINE.EXCEEDED': { status: 504, retryable: true, message: 'The request could not be finished in time.' },
  'DEPENDENCY.DATABASE_UNAVAILABLE': { status: 503, retryable: true, message: 'The database cannot be reached.' },
  'DEPENDENCY.DATABASE_TIMEOUT': {
    status: 503,
    retryable: true,
    message: 'The database gave up a statement that took longer than one may.',
  },
  'DEPENDENCY.INDEX_UNAVAILABLE': { status: 503, retryable: true, message: 'The search index cannot be reached.' },
  'DEPENDENCY.QUEUE_UNAVAILABLE': { status: 503, retryable: true, message: 'The job queue cannot be reached.' },
  /** Said by the command line, of a gateway that gives no answer. */
  'DEPENDENCY.GATEWAY_UNAVAILABLE': { status: 503, retryable: true, message: 'The gateway cannot be reached.' },
  'DEPENDENCY.RETRIEVAL_UNAVAILABLE': {
    status: 503,
    retryable: true,
    message: 'The retrieval service cannot be reached.',
  },
  'DEPENDENCY.EMBEDDINGS_UNAVAILABLE': {
    status: 503,
    retryable: true,
    message: 'The embedding model cannot be reached.',
  },
  'RETRIEVAL.BUSY': {
    status: 503,
    retryable: true,
    message: 'Too many searches that read whole texts are under way.',
  },
  'DEPENDENCY.FILE_READERS_BUSY': {
    status: 503,
    retryable: true,
    message: 'All processes that read files are at work.',
  },
  'EMBEDDINGS.PROFILE_MISMATCH': {
    status: 500,
    retryable: false,
    message: 'The embedding model is not the one this index was built with.',
  },
  'GENERATION.BUILD_EXISTS': {
    status: 409,
    retryable: false,
    message: 'Another generation is being built or waits to be promoted. Promote or retire it first.',
  },
  'GENERATION.WRONG_STATE': {
    status: 409,
    retryable: false,
    message: 'The generation is in a state that does not allow this.',
  },
  'GENERATION.CHANGED': {
    status: 409,
    retryable: true,
    message: 'Which generations of the index are written to has changed meanwhile.',
  },
  'GENERATION.EMPTY': { status: 409, retryable: false, message: 'The generation is empty and the live one is not.' },
  'GENERATION.INCOMPLETE': {
    status: 409,
    retryable: false,
    message: 'The generation does not hold every item in its live version.',
  },
  'GENERATION.MAPPING_DRIFT': {
    status: 409,
    retryable: false,
    message: 'The index of the generation is not mapped as this program maps it.',
  },
  'EXTRACT.EMPTY': { status: 422, retryable: false, message: 'The document has no text.' },
  'EXTRACT.UNREADABLE': { status: 422, retryable: false, message: 'The document could not be read.' },
  'EXTRACT.UNSUPPORTED_TYPE': { status: 415, retryable: false, message: 'Files of this type are not supported.' },
  'EXTRACT.ENCRYPTED': { status: 422, retryable: false, message: 'The file is protected with a password.' },
  'EXTRACT.TOO_LARGE': { status: 422, retryable: false, message: 'The file holds more than can be read.' },
  'EXTRACT.TIMEOUT': { status: 422, retryable: false, message: 'Reading the file took too long.' },
  'CONNECTOR.CREDENTIALS_REJECTED': {
    status: 422,
    retryable: false,
    message: 'The provider rejects the credentials of the source.',
  },
  'CONNECTOR.CREDENTIALS_UNREADABLE': {
    status: 500,
    retryable: false,
    message: 'The stored credentials cannot be decrypted with the keys of this installation.',
  },
  'CONNECTOR.RATE_LIMITED': { status: 503, retryable: true, message: 'The provider asks for fewer requests.' },
  'CONNECTOR.UNAVAILABLE': { status: 503, retryable: true, message: 'The provider cannot be reached.' },
  'CONNECTOR.ADDRESS_REFUSED': {
    status: 422,
    retryable: false,
    message: 'The address of the source is not one that this installation may call.',
  },
  'CONNECTOR.ITEM_UNREADABLE': { status: 422, retryable: false, message: 'The provider does not hand over this item.' },
  'CONNECTOR.ITEM_TOO_LARGE': { status: 422, retryable: false, message: 'The item is larger than what is read.' },
  'CONNECTOR.ITEM_UNSUPPORTED': {
    status: 422,
    retryable: false,
    message: 'Items of this type hold no text that is read.',
  },
  'CONNECTOR.LISTING_REFUSED': {
    status: 502,
    retryable: false,
    message: 'The provider lists none of the items that are stored; nothing was deleted.',
  },
  'AUTH.INVALID_SIGNATURE': { status: 401, retryable: false, message: 'The request is not signed as it has to be.' },
  'AUDIT.CHAIN_BROKEN': {
    status: 500,
    retryable: false,
    message: 'The audit chain does not end as it was sealed; it is not continued.',
  },
  'JOB.INVALID_PAYLOAD': { status: 500, retryable: false, message: 'The job payload does not follow its contract.' },
  'JOB.DEADLINE_PASSED': { status: 504, retryable: false, message: 'The job was not started before its deadline.' },
  'CONFIG.INVALID': { status: 500, retryable: false, message: 'The configuration is not valid.' },
  'INTERNAL.UNEXPECTED': { status: 500, retryable: true, message: 'Something went wrong on our side.' },
} as const satisfies Record<string, { status: number; retryable: boolean; message: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CATALOGUE, value);
}
