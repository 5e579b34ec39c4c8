import { ApiError, ConnectionError, DeadlineError } from '@candor/client';
import type { ErrorCode } from '@candor/contracts';
import { mendCheck } from './mend-checks.js';

type DependencyError = Extract<ErrorCode, `DEPENDENCY.${string}`>;

/** The gateway itself looks at some of these alone: behind it, retrieval has the index and the model. */
const DEPENDENCIES: Readonly<Record<DependencyError, string>> = {
  'DEPENDENCY.DATABASE_UNAVAILABLE':
    'Start Postgres, or correct DATABASE_URL of the gateway and of retrieval; their logs name the cause.',
  'DEPENDENCY.DATABASE_TIMEOUT': 'Postgres is overloaded: its log names the statement, its metrics what keeps it busy.',
  'DEPENDENCY.INDEX_UNAVAILABLE':
    'Start Elasticsearch, or correct ELASTICSEARCH_URL of retrieval, its key or password; where the index is on disk (npm start), see whether the disk is full and the folder may be written to.',
  'DEPENDENCY.QUEUE_UNAVAILABLE': mendCheck('queue'),
  'DEPENDENCY.GATEWAY_UNAVAILABLE': 'Start the gateway, or set CANDOR_URL to its address.',
  'DEPENDENCY.RETRIEVAL_UNAVAILABLE': mendCheck('retrieval'),
  'DEPENDENCY.EMBEDDINGS_UNAVAILABLE':
    'See whether EMBEDDINGS_BASE_URL of retrieval answers and takes its EMBEDDINGS_API_KEY; without one, whether the embedding model is in its CANDOR_MODEL_DIR.',
  'DEPENDENCY.FILE_READERS_BUSY': 'Wait until files have been read, or raise CANDOR_FILE_READERS of the worker.',
};

/** Whose limit a 429 is about. */
const LIMITS: Partial<Readonly<Record<ErrorCode, string>>> = {
  'RATE_LIMIT.EXCEEDED': 'give the key a higher rate limit',
  'QUOTA.RATE_EXCEEDED': 'have the tenant’s quota raised (PUT /v1/quotas)',
  'QUOTA.QUEUE_FULL': 'have the tenant’s quota raised (PUT /v1/quotas)',
};

/** What to do about what a call was answered. */
export function mendError(error: unknown): string {
  if (error instanceof DeadlineError)
    return 'The gateway is overloaded or a service behind it hangs: see its metrics and logs.';
  if (error instanceof ConnectionError) return 'The connection broke: try again, and see the gateway’s log.';
  if (error instanceof ApiError) return mendRefusal(error);
  return 'This is a mistake of this program.';
}

function mendRefusal({ status, type, requestId, retryAfterSeconds }: ApiError): string {
  if (type !== null && isDependency(type)) return DEPENDENCIES[type];
  if (type?.startsWith('SYNTHESIS.'))
    return 'Start the language model, or correct LLM_BASE_URL, LLM_MODEL, LLM_API_KEY and LLM_TIMEOUT_MS of synthesis; its log names the cause.';
  if (status === 429)
    return `Try again ${inTime(retryAfterSeconds)}, or ${(type && LIMITS[type]) ?? 'ask whoever set the limit'}.`;
  const trace =
    requestId === '' ? 'see the log of the proxy in front' : `look for the request ${requestId} in the logs`;
  if (status === 503) return `Try again ${inTime(retryAfterSeconds)}; if it stays so, ${trace}.`;
  return `Try again; if it stays so, ${trace}.`;
}

function isDependency(type: ErrorCode): type is DependencyError {
  return type in DEPENDENCIES;
}

/** Rounded up: who comes a little later is not refused once more. */
function inTime(seconds: number | undefined): string {
  if (seconds === undefined) return 'later';
  if (seconds < 120) return `in ${seconds} s`;
  return seconds < 7_200 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3_600)} hours`;
}
