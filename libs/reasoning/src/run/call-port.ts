import { AppError } from '@candor/contracts';
import { PortOutputError } from './port-output-error.js';
import type { ProviderFailure, ProviderFailureKind, ProviderName } from './provider-failure.js';
import type { PortContext } from './reasoning-ports.js';

export type PortResult<Output> =
  | { ok: true; output: Output }
  /** `refused`: the rule of ours that the output broke. */
  | { ok: false; failure: ProviderFailure; refused?: PortOutputError };

export interface PortCall<Output> {
  provider: ProviderName;
  /** Milliseconds; 0 or less is a timeout without a call. */
  deadlineMs: number;
  /** Of the caller of `reason`. */
  signal: AbortSignal | undefined;
  call: (context: PortContext) => Promise<unknown>;
  /** Throws PortOutputError for what may not be used. */
  parse: (output: unknown) => Output;
}

/**
 * One call of a provider, whose every failure comes back as a record. Rejects only when the caller gave up, with the
 * signal's AppError, else REQUEST.CANCELLED.
 */
export async function callPort<Output>(port: PortCall<Output>): Promise<PortResult<Output>> {
  throwIfCancelled(port.signal);
  const fail = (kind: ProviderFailureKind, message: string) => ({
    ok: false as const,
    failure: { provider: port.provider, kind, message },
  });
  if (port.deadlineMs <= 0) return fail('timeout', 'There was no time left for the call.');
  let output: unknown;
  try {
    output = await callWithin(port);
  } catch (error) {
    throwIfCancelled(port.signal);
    return fail(classifyError(error), describeError(error, port.deadlineMs));
  }
  try {
    return { ok: true, output: port.parse(output) };
  } catch (error) {
    if (error instanceof PortOutputError) return { ...fail(error.kind, error.message), refused: error };
    return fail('malformed_output', describeInvalidOutput(error));
  }
}

/** Node's longest timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

async function callWithin({ call, deadlineMs, signal }: PortCall<unknown>): Promise<unknown> {
  const controller = new AbortController();
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  const cancel = (): void => controller.abort(new AppError('REQUEST.CANCELLED'));
  signal?.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(() => controller.abort(new DeadlineError()), Math.min(deadlineMs, LONGEST_TIMER_MS));
  try {
    // The provider may throw before it returns a promise.
    const answered = (async () =>
      call({ signal: controller.signal, deadlineMs: Math.min(deadlineMs, LONGEST_TIMER_MS) }))();
    return await Promise.race([answered, stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  const reason: unknown = signal.reason;
  throw reason instanceof AppError ? reason : new AppError('REQUEST.CANCELLED');
}

function classifyError(error: unknown): ProviderFailureKind {
  if (error instanceof DeadlineError) return 'timeout';
  if (!(error instanceof AppError)) return 'provider_error';
  switch (error.code) {
    case 'SYNTHESIS.PROVIDER_TIMEOUT':
    case 'DEADLINE.EXCEEDED':
      return 'timeout';
    case 'SYNTHESIS.INVALID_OUTPUT':
      return 'malformed_output';
    default:
      return 'provider_error';
  }
}

/** A provider's own text may hold anything, so only our own codes are told. */
function describeError(error: unknown, deadlineMs: number): string {
  if (error instanceof DeadlineError) return `No answer within ${deadlineMs} ms.`;
  if (error instanceof AppError) return `The call failed with ${error.code}.`;
  return 'The call failed.';
}

function describeInvalidOutput(error: unknown): string {
  const issues: unknown = error instanceof AppError ? error.details?.['issues'] : undefined;
  const rules = Array.isArray(issues) ? issues.slice(0, 3).map(describeIssue) : [];
  return rules.length === 0
    ? 'The output does not follow the contract.'
    : `The output does not follow the contract (${rules.join(', ')}).`;
}

function describeIssue(issue: unknown): string {
  const { path, rule } = issue as { path?: unknown; rule?: unknown };
  return [path, rule].filter((part) => typeof part === 'string' && part !== '').join(': ');
}
