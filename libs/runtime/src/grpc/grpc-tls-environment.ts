import { z } from 'zod';
import type { GrpcTls } from './retrieval-protocol.js';

/** Mutual TLS between the services; all three or none. Files may be given as NAME_FILE. */
export const grpcTlsEnvironment = {
  GRPC_TLS_CA: z.string().optional().describe('PEM: the other side must show a certificate of this authority.'),
  GRPC_TLS_CERT: z.string().optional().describe("PEM: this service's certificate."),
  GRPC_TLS_KEY: z.string().optional().describe("PEM: the certificate's key."),
};
export type GrpcTlsEnvironment = z.output<z.ZodObject<typeof grpcTlsEnvironment>>;

/** For a config schema's `superRefine`: an incomplete set must not pass for "no TLS". */
export function requireWholeGrpcTls(config: GrpcTlsEnvironment, context: z.RefinementCtx): void {
  const given = [config.GRPC_TLS_CA, config.GRPC_TLS_CERT, config.GRPC_TLS_KEY].filter((part) => part !== undefined);
  if (given.length % 3 === 0) return;
  const message = 'must be set together with GRPC_TLS_CERT and GRPC_TLS_KEY';
  context.addIssue({ code: 'custom', path: ['GRPC_TLS_CA'], message });
}

export function grpcTlsFrom(config: GrpcTlsEnvironment): { tls?: GrpcTls } {
  const { GRPC_TLS_CA: ca, GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key } = config;
  return ca !== undefined && cert !== undefined && key !== undefined ? { tls: { ca, cert, key } } : {};
}
