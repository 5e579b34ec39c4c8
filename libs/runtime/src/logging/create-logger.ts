import { pino, type DestinationStream, type Level, type Logger as PinoLogger } from 'pino';
import { currentRequestContext } from '../request-context/request-context.js';
import { redactFields, redactKeys } from './redact-fields.js';

export type Logger = PinoLogger;
export type LogLevel = Level | 'silent';

export interface LoggerOptions {
  /** Default `info`. */
  level?: LogLevel;
  /** Where lines go: a stream, or the process's `stdout` (default) or `stderr`. */
  stream?: DestinationStream | 'stdout' | 'stderr';
}

/** One JSON object a line; `requestId` and `tenantId` come from the request context, secrets and content never get in. */
export function createLogger(service: string, options: LoggerOptions = {}): Logger {
  const { level = 'info', stream = 'stdout' } = options;
  const logger = pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      errorKey: 'error',
      mixin: contextFields,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields) as Record<string, unknown>,
      },
      // The formatter has made plain objects of errors; pino's own serializer would keep their extra fields.
      serializers: { error: (error: unknown) => error, err: (error: unknown) => error },
      hooks: { streamWrite: redactKeys },
    },
    typeof stream === 'string' ? pino.destination({ dest: stream === 'stdout' ? 1 : 2, sync: true }) : stream,
  );
  redactChildBindings(logger);
  return logger;
}

/** pino applies no formatter to the fields of child loggers. They inherit `child`, so one wrapper covers all generations. */
function redactChildBindings(logger: Logger): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with the `this` of each call, below
  const createChild = logger.child as unknown as (this: Logger, bindings: object, options?: object) => Logger;
  logger.child = function child(this: Logger, bindings: object, options?: object) {
    return createChild.call(this, redactFields(bindings) as object, options);
  } as unknown as Logger['child'];
}

function contextFields(): Record<string, string> {
  const context = currentRequestContext();
  if (!context) return {};
  return { requestId: context.requestId, ...(context.caller ? { tenantId: context.caller.tenantId } : {}) };
}
