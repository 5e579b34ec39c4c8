import { AppError } from '@candor/contracts';
import { APIConnectionError, APIError } from 'openai';
import { toAbortError } from '../abort-error.js';
import type { AttemptVerdict } from './transport-breaker.js';

/**
 * A failed attempt as the product's own error. Causes name kinds and numbers only: a provider's own text may repeat
 * the prompt.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';

  constructor(
    readonly verdict: AttemptVerdict,
    readonly appError: AppError,
  ) {
    super(appError.code);
  }
}

export function judgeFailure(error: unknown): AttemptVerdict {
  return error instanceof ProviderFailure ? error.verdict : 'unknown';
}

/** `caller` is the request's signal, `timeout` the provider's own; whichever fired explains the failure. */
export function toProviderFailure(
  error: unknown,
  caller: AbortSignal | undefined,
  timeout: AbortSignal,
): ProviderFailure {
  if (caller?.aborted === true) return new ProviderFailure('unknown', toAbortError(caller));
  if (timeout.aborted) {
    return new ProviderFailure('transport_failure', new AppError('SYNTHESIS.PROVIDER_TIMEOUT'));
  }
  // The client wraps what its `fetch` throws.
  const thrown = readField(error, 'cause');
  if (thrown instanceof ProviderFailure) return thrown;
  if (error instanceof APIError && !(error instanceof APIConnectionError) && typeof error.status === 'number') {
    return new ProviderFailure(
      error.status >= 500 ? 'transport_failure' : 'answered',
      new AppError('SYNTHESIS.PROVIDER_ERROR', { cause: new Error(`HTTP status ${error.status}`) }),
    );
  }
  // Thrown by the client for a body that claims to be JSON and isn't.
  if (readField(error, 'name') === 'SyntaxError') {
    return new ProviderFailure('answered', new AppError('SYNTHESIS.INVALID_OUTPUT', { cause: new Error('not JSON') }));
  }
  return new ProviderFailure(
    'transport_failure',
    new AppError('SYNTHESIS.PROVIDER_ERROR', { cause: new Error(`connection failed: ${readErrorCode(error)}`) }),
  );
}

/** The first system code (`ECONNREFUSED`, `UND_ERR_SOCKET`…) along the chain of causes. */
function readErrorCode(error: unknown): string {
  for (let current = error; current !== undefined && current !== null; current = readField(current, 'cause')) {
    const code = readField(current, 'code');
    if (typeof code === 'string') return code;
  }
  const name = readField(error, 'name');
  return typeof name === 'string' ? name : 'unknown';
}

function readField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
