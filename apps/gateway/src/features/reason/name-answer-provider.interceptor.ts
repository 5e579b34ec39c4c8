import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { tap, type Observable } from 'rxjs';
import { requireRequestContext } from '@candor/runtime';

/** Says which provider answered beside the body, which is of a given shape: without a tenant's consent it isn't the model. */
@Injectable()
export class NameAnswerProviderInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      tap(() => {
        const name = requireRequestContext().audit.metadata['answerProvider'];
        if (typeof name !== 'string') return;
        execution.switchToHttp().getResponse<Response>().setHeader('X-Answer-Provider', name);
      }),
    );
  }
}
