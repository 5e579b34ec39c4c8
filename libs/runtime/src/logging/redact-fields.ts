const REDACTED = '[redacted]';
const DEEPEST = 8;
const LONGEST_MESSAGE = 1_000;

/** Names (lower case, without `_` and `-`) that hold a secret wherever they end a field's name: `apiKey`, `caller_token`. */
const SECRET_NAME = /(authorization|key|secret|password|token|cookie)$/;
const CONTENT_NAMES = new Set([
  'content',
  'body',
  'query',
  'text',
  'title',
  'quotation',
  'answer',
  'prompt',
  'payload',
  'payloadjson',
]);
const KEY_OR_BEARER = /\bgm_[A-Za-z0-9]+_[A-Za-z0-9_-]+|\b(Bearer|API-Key)\s+[^\s"\\,]+/gi;

/**
 * A copy fit for the log: no secrets, no document or query text, at any depth.
 * Errors keep type, code, message and stack only: drivers hang statements, parameters and documents on theirs.
 */
export function redactFields(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEEPEST) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((entry) => redactFields(entry, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, isSensitive(name) ? REDACTED : redactFields(entry, depth + 1)]),
  );
}

/** The last net, over a whole log line: API keys and authorization values that got into a message. */
export function redactKeys(line: string): string {
  return line.replace(KEY_OR_BEARER, REDACTED);
}

export interface LoggedError {
  type: string;
  code?: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
}

export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'A value that is not an Error was thrown' };
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? String(error.code)
      : undefined;
  const message = shorten(error.message);
  // A stack begins with the message; only its frames are kept, so that a long message stays short.
  const frames = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message,
    ...(frames ? { stack: frames } : {}),
    ...(error.cause === undefined || depth >= DEEPEST ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

function shorten(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
}

function isSensitive(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  return SECRET_NAME.test(plain) || CONTENT_NAMES.has(plain);
}
