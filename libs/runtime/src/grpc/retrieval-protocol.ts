import { fileURLToPath } from 'node:url';
import type { RetrievalMethod } from '@candor/contracts';

export const RETRIEVAL_PACKAGE = 'candor.retrieval.v1';
export const RETRIEVAL_SERVICE = 'Retrieval';

/** Names of the methods in the .proto file. */
export const GRPC_METHODS = {
  search: 'Search',
  context: 'Context',
  findPassages: 'FindPassages',
  readChunk: 'ReadChunk',
  expandChunk: 'ExpandChunk',
  findItems: 'FindItems',
  trustedSearch: 'TrustedSearch',
  relationGraph: 'RelationGraph',
  modelConsent: 'ModelConsent',
} as const satisfies Record<RetrievalMethod, string>;

/** A page of hits with whole chunks is well below; a mistake is not unbounded. */
export const LARGEST_MESSAGE_BYTES = 32 * 1024 * 1024;

/** PEM texts of mutual TLS: each side shows its certificate and trusts only those of `ca`. */
export interface GrpcTls {
  ca: string;
  cert: string;
  key: string;
}

/** As proto-loader shapes the messages (`keepCase` off). */
export interface RetrievalWireCall {
  requestId: string;
  callerToken: string;
  payloadJson: string;
}
export interface RetrievalWireReply {
  /** Empty when `errorJson` is not. */
  payloadJson: string;
  errorJson: string;
}

/** The .proto lies in the sources of the contracts, beside the schemas it goes with; the build copies only code. */
export function retrievalProtoPath(): string {
  const contracts = import.meta.resolve('@candor/contracts');
  return fileURLToPath(new URL('../src/messages/retrieval.proto', contracts));
}
