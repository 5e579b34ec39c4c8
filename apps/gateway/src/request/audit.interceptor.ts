import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { mergeMap, type Observable } from 'rxjs';
import { isOperational, requireRequestContext, routeOf } from '@candor/runtime';
import { RequestTransaction } from './request-transaction.service.js';

/** No response without its audit event: reads are recorded here, writes have committed theirs with the change. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly requests: RequestTransaction) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Signed requests have no caller; their handler writes the event of the tenant that it finds.
    if (isOperational(execution) || routeOf(execution)?.action === 'signed') return next.handle();
    return next.handle().pipe(
      mergeMap(async (body: unknown) => {
        const { audit } = requireRequestContext();
        if (!audit.committed) await this.requests.recordRead(audit.outcome ?? 'succeeded');
        return body;
      }),
    );
  }
}
