import { Inject, Injectable } from '@nestjs/common';
import {
  RETRIEVAL_CLIENT,
  type RequestId,
  type RetrievalClient,
  type RetrievalMethod,
  type RetrievalReply,
  type RetrievalRequest,
} from '@candor/contracts';
import { CallerTokenSigner, requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../access/caller.js';
import { GATEWAY_LIMITS } from '../tokens.js';
import type { GatewayLimits } from '../config.js';

/** Calls retrieval for the request's caller, within its deadline, and notes the facts for its audit event. */
@Injectable()
export class RetrievalGatewayService {
  constructor(
    @Inject(RETRIEVAL_CLIENT) private readonly client: RetrievalClient,
    private readonly signer: CallerTokenSigner,
    @Inject(GATEWAY_LIMITS) private readonly limits: GatewayLimits,
  ) {}

  async call<M extends RetrievalMethod>(method: M, request: RetrievalRequest<M>): Promise<RetrievalReply<M>['result']> {
    const reply = await this.callQuietly(method, request);
    Object.assign(requireRequestContext().audit.metadata, reply.facts);
    return reply.result;
  }

  /** Notes nothing: for calls that are many, or part of something that is noted as a whole. */
  callQuietly<M extends RetrievalMethod>(method: M, request: RetrievalRequest<M>): Promise<RetrievalReply<M>> {
    const context = requireRequestContext();
    return this.client.call(
      method,
      { requestId: context.requestId as RequestId, callerToken: this.signer.sign(requireCaller().scope) },
      request,
      {
        deadline: new Date(Date.now() + this.limits.searchDeadlineMs),
        ...(context.signal ? { signal: context.signal } : {}),
      },
    );
  }
}
