import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { Metadata } from '@grpc/grpc-js';
import type { RetrievalMethod } from '@candor/contracts';
import {
  GRPC_METHODS,
  handleRetrievalCall,
  RETRIEVAL_SERVICE,
  type GrpcCall,
  type RetrievalCallTools,
  type RetrievalWireCall,
  type RetrievalWireReply,
} from '@candor/runtime';
import { RetrievalService } from './retrieval.service.js';

export const RETRIEVAL_CALL_TOOLS = Symbol('RetrievalCallTools');

/** `candor.retrieval.v1.Retrieval`. */
@Controller()
export class RetrievalController {
  constructor(
    @Inject(RetrievalService) private readonly retrieval: RetrievalService,
    @Inject(RETRIEVAL_CALL_TOOLS) private readonly tools: RetrievalCallTools,
  ) {}

  // One handler for each method that there is: one that was forgotten would only show where the services are apart.
  static {
    for (const [method, name] of Object.entries(GRPC_METHODS) as [RetrievalMethod, string][]) {
      const value = function (
        this: RetrievalController,
        call: RetrievalWireCall,
        _metadata: Metadata,
        grpcCall: GrpcCall,
      ): Promise<RetrievalWireReply> {
        return this.serve(method, call, grpcCall);
      };
      const descriptor = { value, configurable: true, writable: true };
      Object.defineProperty(this.prototype, method, descriptor);
      GrpcMethod(RETRIEVAL_SERVICE, name)(this.prototype, method, descriptor);
    }
  }

  private serve(method: RetrievalMethod, call: RetrievalWireCall, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return handleRetrievalCall(method, call, grpcCall, this.tools, (input) => this.retrieval.handle(method, input));
  }
}
