import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditAction, AuditOutcome, CallerScope, RouteContract } from '@candor/contracts';

/** What the audit event of this request will say; features fill it in, the app commits it before it answers. */
export interface AuditDraft {
  action?: AuditAction;
  outcome?: AuditOutcome;
  targetType?: string;
  targetId?: string;
  /** Ids, counts, digests, timings; never content, secrets or answers. */
  metadata: Record<string, unknown>;
  /** True once the event is stored; nobody writes it twice. */
  committed: boolean;
}

export interface RequestContext {
  /** UUID. */
  requestId: string;
  /** Set once the key is known. */
  caller?: CallerScope;
  /** Of a job: whose it is. Where there is a caller, its own tenant counts. */
  tenantId?: string;
  /** The app's own record of the key; the runtime never looks inside. */
  apiKey?: unknown;
  /** The matched route; undefined for unknown routes and operational endpoints. */
  route?: RouteContract;
  audit: AuditDraft;
  /** Fires when the caller goes away or the deadline passes. */
  signal?: AbortSignal;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function createRequestContext(requestId: string, parts: Partial<RequestContext> = {}): RequestContext {
  return { audit: { metadata: {}, committed: false }, ...parts, requestId };
}

export function runInRequestContext<Result>(context: RequestContext, run: () => Result): Result {
  return storage.run(context, run);
}

export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

/** For code that only runs inside a request or a job; a missing context is a programming error. */
export function requireRequestContext(): RequestContext {
  const context = storage.getStore();
  if (!context) throw new Error('This code runs outside of a request context');
  return context;
}
