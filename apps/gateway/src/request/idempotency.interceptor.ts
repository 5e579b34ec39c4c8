import { createHash } from 'node:crypto';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, catchError, mergeMap, of, type Observable } from 'rxjs';
import { AppError, invalidField } from '@candor/contracts';
import { claimIdempotencyKey, Database, releaseIdempotencyKey } from '@candor/persistence';
import { requireRequestContext, routeOf } from '@candor/runtime';
import { requireCaller, type Caller } from '../access/caller.js';
import { keepAnswer } from './request-transaction.service.js';

/**
 * `Idempotency-Key` on routes that write: the same key and request get the stored response for 24 hours,
 * another request or one that is still running a 409. The response is stored in the change's own commit, or here where it
 * isn't known by then; an error frees the key.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<Request>();
    const header = request.headers['idempotency-key'];
    if (header === undefined || routeOf(execution)?.idempotent !== true) return next.handle();
    if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
      throw invalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters');
    const caller = requireCaller();
    return from(this.claim(caller, header, digestOf(request))).pipe(
      mergeMap((replay) => {
        if (!replay) return this.handleClaimed(caller, header, next);
        requireRequestContext().audit.metadata['idempotentReplay'] = true;
        execution
          .switchToHttp()
          .getResponse<Response>()
          .status(replay.status)
          .setHeader('Idempotency-Replayed', 'true');
        return of(replay.body);
      }),
    );
  }

  private async claim(caller: Caller, key: string, digest: string): Promise<{ status: number; body: unknown } | null> {
    const claim = await this.database.read((manager) => claimIdempotencyKey(manager, caller.apiKey.id, key, digest));
    switch (claim.kind) {
      case 'claimed':
        caller.idempotencyKey = key;
        return null;
      case 'replay':
        return { status: claim.status, body: claim.body };
      case 'other_request':
        throw new AppError('IDEMPOTENCY.KEY_REUSED');
      case 'in_progress':
        throw new AppError('IDEMPOTENCY.IN_PROGRESS', { retryAfterSeconds: 1 });
    }
  }

  private handleClaimed(caller: Caller, key: string, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      mergeMap(async (body: unknown) => {
        if (!caller.isAnswerKept) await this.database.read((manager) => keepAnswer(manager, body));
        return body;
      }),
      catchError(async (error: unknown) => {
        await this.database.read((manager) => releaseIdempotencyKey(manager, caller.apiKey.id, key));
        throw error;
      }),
    );
  }
}

function digestOf(request: Request): string {
  const parts = [request.method, request.path, request.body ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
