import { ServerCredentials } from '@grpc/grpc-js';
import { Transport, type GrpcOptions } from '@nestjs/microservices';
import { LARGEST_MESSAGE_BYTES, RETRIEVAL_PACKAGE, retrievalProtoPath, type GrpcTls } from './retrieval-protocol.js';

export interface RetrievalGrpcServerOptions {
  /** `host:port` to listen on. */
  url: string;
  tls?: GrpcTls;
}

/** The gRPC transport of the retrieval service, for `createHttpApp({microservices})`. */
export function retrievalGrpcOptions({ url, tls }: RetrievalGrpcServerOptions): GrpcOptions {
  return {
    transport: Transport.GRPC,
    options: {
      url,
      package: RETRIEVAL_PACKAGE,
      protoPath: retrievalProtoPath(),
      credentials: tls ? serverCredentials(tls) : ServerCredentials.createInsecure(),
      maxReceiveMessageLength: LARGEST_MESSAGE_BYTES,
      maxSendMessageLength: LARGEST_MESSAGE_BYTES,
      gracefulShutdown: true,
      channelOptions: {
        'grpc.keepalive_time_ms': 30_000,
        'grpc.keepalive_timeout_ms': 10_000,
        // Clients look their peers up again when a connection ends: so new replicas get their share.
        'grpc.max_connection_age_ms': 300_000,
        'grpc.max_connection_age_grace_ms': 60_000,
      },
    },
  };
}

function serverCredentials({ ca, cert, key }: GrpcTls): ServerCredentials {
  const requireClientCertificate = true;
  return ServerCredentials.createSsl(
    Buffer.from(ca),
    [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }],
    requireClientCertificate,
  );
}
