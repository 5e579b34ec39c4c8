import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AppError } from '@candor/contracts';
import type { Request, Response } from 'express';
import type { Logger } from '../logging/create-logger.js';
import type { RequestContext } from '../request-context/request-context.js';
import { toErrorBody } from './error-body.js';
import { requestContextOf } from './request-context.middleware.js';
import { toAppError } from './to-app-error.js';

/**
 * Runs before an error is answered; the app commits its audit event here. What it throws is answered instead:
 * no response leaves without its event.
 */
export type BeforeErrorResponse = (context: RequestContext, error: AppError) => Promise<void>;

export interface AppErrorFilterOptions {
  logger: Logger;
  beforeErrorResponse?: BeforeErrorResponse;
}

/** Every 503 says when to try again, also where the thrower did not know. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** Turns everything that was thrown into the one error shape. Only failures of ours (5xx) are logged. */
@Catch()
export class AppErrorFilter implements ExceptionFilter {
  constructor(private readonly options: AppErrorFilterOptions) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const context = requestContextOf(request);
    const error = await this.settle(toAppError(thrown), context);
    if (error.status >= 500) this.log(error);
    if (response.headersSent) {
      // Half an answer must not look like a whole one.
      response.destroy();
      return;
    }
    const retryAfterSeconds = error.retryAfterSeconds ?? (error.status === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined);
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterSeconds)));
    if (error.status === 401 && !response.hasHeader('WWW-Authenticate'))
      response.setHeader('WWW-Authenticate', 'Bearer');
    response.status(error.status).json(toErrorBody(error, context.requestId));
  }

  private async settle(error: AppError, context: RequestContext): Promise<AppError> {
    try {
      await this.options.beforeErrorResponse?.(context, error);
      return error;
    } catch (hookError) {
      // The first failure would be lost with the response.
      if (error.status >= 500) this.log(error);
      return AppError.from(hookError);
    }
  }

  private log(error: AppError): void {
    this.options.logger.error({ error }, error.code);
  }
}
