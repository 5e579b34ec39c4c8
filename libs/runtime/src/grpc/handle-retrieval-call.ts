import type { Metadata } from '@grpc/grpc-js';
import {
  AppError,
  requestIdSchema,
  RETRIEVAL_METHODS,
  type CallerScope,
  type RequestId,
  type RetrievalMethod,
  type RetrievalReply,
  type RetrievalRequest,
} from '@candor/contracts';
import type { CallerTokenSigner } from '../caller-token/caller-token-signer.js';
import { describeIssues } from '../issues/describe-issues.js';
import type { Logger } from '../logging/create-logger.js';
import { createRequestContext, runInRequestContext } from '../request-context/request-context.js';
import { extractTrace, type TraceCarrier } from '../telemetry/trace-carrier.js';
import { withSpan } from '../telemetry/with-span.js';
import type { RetrievalWireCall, RetrievalWireReply } from './retrieval-protocol.js';

/** What is needed of grpc-js's ServerUnaryCall; Nest passes it as a handler's third parameter. */
export interface GrpcCall {
  readonly cancelled: boolean;
  readonly metadata: Metadata;
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
  off(event: 'cancelled', listener: () => void): unknown;
}

export interface RetrievalInput<M extends RetrievalMethod> {
  requestId: RequestId;
  /** Verified. */
  scope: CallerScope;
  request: RetrievalRequest<M>;
  /** null = the caller set none. */
  deadline: Date | null;
  /** Fires when the caller goes away or the deadline passes. */
  signal: AbortSignal;
}

export interface RetrievalCallTools {
  signer: CallerTokenSigner;
  logger: Logger;
}

/**
 * Serves one call: verified scope, checked request, context, signal; and the reply, in which an error is data. The caller
 * checks the reply.
 * Never rejects, so that no error loses its code on the way through the framework.
 */
export async function handleRetrievalCall<M extends RetrievalMethod>(
  method: M,
  call: RetrievalWireCall,
  grpcCall: GrpcCall,
  { signer, logger }: RetrievalCallTools,
  handler: (input: RetrievalInput<M>) => Promise<RetrievalReply<M>>,
): Promise<RetrievalWireReply> {
  const deadline = deadlineOf(grpcCall);
  const { signal, release } = signalOf(grpcCall, deadline);
  const context = createRequestContext(call.requestId, { signal });
  return runInRequestContext(context, () =>
    extractTrace(traceOf(grpcCall.metadata), async () => {
      try {
        const requestId = parseRequestId(call.requestId);
        const scope = signer.verify(call.callerToken);
        context.caller = scope;
        const request = parseRequest(method, call.payloadJson);
        const reply = await withSpan(`retrieval.${method}`, () =>
          handler({ requestId, scope, request, deadline, signal }),
        );
        return { payloadJson: JSON.stringify(reply), errorJson: '' };
      } catch (thrown) {
        const error = AppError.from(thrown);
        if (error.status >= 500 && !signal.aborted) logger.error({ error, method }, error.code);
        return { payloadJson: '', errorJson: JSON.stringify(error.toWire()) };
      } finally {
        release();
      }
    }),
  );
}

function parseRequestId(value: string): RequestId {
  const parsed = requestIdSchema.safeParse(value);
  if (!parsed.success) throw new AppError('REQUEST.INVALID', { message: 'requestId must be a UUID' });
  return parsed.data;
}

function parseRequest<M extends RetrievalMethod>(method: M, payloadJson: string): RetrievalRequest<M> {
  const parsed = RETRIEVAL_METHODS[method].request.safeParse(parseJson(payloadJson), { reportInput: true });
  if (parsed.success) return parsed.data as RetrievalRequest<M>;
  const [first] = describeIssues(parsed.error.issues, 'payload');
  throw new AppError('REQUEST.INVALID', { message: `${first?.field} ${first?.rule}`, details: { ...first } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('REQUEST.MALFORMED_JSON', { cause });
  }
}

function deadlineOf(grpcCall: GrpcCall): Date | null {
  const deadline = grpcCall.getDeadline();
  if (deadline instanceof Date) return deadline;
  return Number.isFinite(deadline) ? new Date(deadline) : null;
}

/** Share of a call's time at whose end a caller that is gone is one whose deadline came. */
const LAST_SHARE = 0.1;

function signalOf(grpcCall: GrpcCall, deadline: Date | null): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  // gRPC tells of both ends with the same event. The caller's own deadline comes first: the one known here counts from when
  // the call arrived.
  const givenUpBefore =
    deadline === null ? Infinity : deadline.getTime() - LAST_SHARE * (deadline.getTime() - Date.now());
  const cancel = (): void =>
    controller.abort(new AppError(Date.now() >= givenUpBefore ? 'DEADLINE.EXCEEDED' : 'REQUEST.CANCELLED'));
  if (grpcCall.cancelled) cancel();
  else grpcCall.once('cancelled', cancel);
  return { signal: controller.signal, release: () => grpcCall.off('cancelled', cancel) };
}

function traceOf(metadata: Metadata): TraceCarrier {
  const carrier: TraceCarrier = {};
  for (const name of ['traceparent', 'tracestate']) {
    const value = metadata.get(name)[0];
    if (typeof value === 'string') carrier[name] = value;
  }
  return carrier;
}
