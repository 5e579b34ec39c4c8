import type { LoggerService } from '@nestjs/common';
import type { Logger } from './create-logger.js';

/** Nest's own lines in the service's log. Nest passes the class's name as the last parameter. */
export class NestPinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...parameters: unknown[]): void {
    // Nest tells of every route and module at start; that is detail, not news.
    this.write('debug', message, parameters);
  }

  warn(message: unknown, ...parameters: unknown[]): void {
    this.write('warn', message, parameters);
  }

  error(message: unknown, ...parameters: unknown[]): void {
    this.write('error', message, parameters);
  }

  fatal(message: unknown, ...parameters: unknown[]): void {
    this.write('fatal', message, parameters);
  }

  debug(message: unknown, ...parameters: unknown[]): void {
    this.write('debug', message, parameters);
  }

  verbose(message: unknown, ...parameters: unknown[]): void {
    this.write('trace', message, parameters);
  }

  private write(level: 'trace' | 'debug' | 'warn' | 'error' | 'fatal', message: unknown, parameters: unknown[]): void {
    const source = parameters.at(-1);
    const fields: Record<string, unknown> = typeof source === 'string' ? { source } : {};
    const error = [message, ...parameters].find((candidate) => candidate instanceof Error);
    if (error) fields['error'] = error;
    this.logger[level](fields, typeof message === 'string' ? message : error instanceof Error ? error.message : 'Nest');
  }
}
