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

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.search)
  search(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('search', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.context)
  context(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('context', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.findPassages)
  findPassages(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('findPassages', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.readChunk)
  readChunk(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('readChunk', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.expandChunk)
  expandChunk(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('expandChunk', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.findItems)
  findItems(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('findItems', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.trustedSearch)
  trustedSearch(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('trustedSearch', call, grpcCall);
  }

  @GrpcMethod(RETRIEVAL_SERVICE, GRPC_METHODS.relationGraph)
  relationGraph(call: RetrievalWireCall, _metadata: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return this.serve('relationGraph', call, grpcCall);
  }

  private serve(method: RetrievalMethod, call: RetrievalWireCall, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return handleRetrievalCall(method, call, grpcCall, this.tools, (input) => this.retrieval.handle(method, input));
  }
}
