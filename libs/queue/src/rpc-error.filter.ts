import { AppError } from '@candor/contracts';
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Global filter of the job (and gRPC) side: an `AppError` reaches the transport unchanged, so it can tell what is
 * retryable; anything else becomes `INTERNAL.UNEXPECTED` with its cause. Nest's default answers "Internal server
 * error" for both.
 */
@Catch()
export class RpcErrorFilter implements RpcExceptionFilter<unknown> {
  catch(exception: unknown): Observable<never> {
    return throwError(() => AppError.from(exception));
  }
}
