import {
  credentials,
  loadPackageDefinition,
  Metadata,
  status,
  type ChannelCredentials,
  type Client,
  type ClientUnaryCall,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import {
  AppError,
  RETRIEVAL_METHODS,
  wireErrorSchema,
  type RetrievalCall,
  type RetrievalClient,
  type RetrievalMethod,
  type RetrievalReply,
  type RetrievalRequest,
} from '@candor/contracts';
import { injectTrace } from '../telemetry/trace-carrier.js';
import {
  GRPC_METHODS,
  LARGEST_MESSAGE_BYTES,
  RETRIEVAL_PACKAGE,
  RETRIEVAL_SERVICE,
  retrievalProtoPath,
  type GrpcTls,
  type RetrievalWireCall,
  type RetrievalWireReply,
} from './retrieval-protocol.js';

export interface GrpcRetrievalClientOptions {
  /** `host:port`, or a full gRPC target; a name with several addresses is balanced round-robin. */
  url: string;
  tls?: GrpcTls;
}

/** Every method only reads, so a call that met a closing or dead replica is tried on another one, within its deadline. */
const SERVICE_CONFIG = JSON.stringify({
  loadBalancingConfig: [{ round_robin: {} }],
  methodConfig: [
    {
      name: [{ service: `${RETRIEVAL_PACKAGE}.${RETRIEVAL_SERVICE}` }],
      retryPolicy: {
        maxAttempts: 3,
        initialBackoff: '0.05s',
        maxBackoff: '0.5s',
        backoffMultiplier: 3,
        retryableStatusCodes: ['UNAVAILABLE'],
      },
    },
  ],
});

const CHANNEL_OPTIONS = {
  'grpc.service_config': SERVICE_CONFIG,
  'grpc.max_receive_message_length': LARGEST_MESSAGE_BYTES,
  'grpc.max_send_message_length': LARGEST_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // A replica that has just come must be known before the one that it replaces goes: a look a third of a second costs nothing.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 300,
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
};

type UnaryMethod = (
  request: RetrievalWireCall,
  metadata: Metadata,
  options: { deadline: Date },
  callback: (error: ServiceError | null, reply?: RetrievalWireReply) => void,
) => ClientUnaryCall;

/**
 * Retrieval in another process. The deadline and the caller's going away reach its index client. Each end checks what it
 * receives (docs/adr/0018): retrieval the request, this end the reply.
 */
export class GrpcRetrievalClient implements RetrievalClient {
  private readonly client: Client;

  constructor({ url, tls }: GrpcRetrievalClientOptions) {
    const target = url.includes('://') || url.startsWith('dns:') || url.startsWith('unix:') ? url : `dns:///${url}`;
    const Service = loadService();
    this.client = new Service(target, tls ? clientCredentials(tls) : credentials.createInsecure(), CHANNEL_OPTIONS);
  }

  async call<M extends RetrievalMethod>(
    method: M,
    call: RetrievalCall,
    request: RetrievalRequest<M>,
    options: { deadline: Date; signal?: AbortSignal },
  ): Promise<RetrievalReply<M>> {
    const reply = await this.send(method, { ...call, payloadJson: JSON.stringify(request) }, options);
    if (reply.errorJson) throw AppError.fromWire(wireErrorSchema.parse(JSON.parse(reply.errorJson)));
    return parseReply(method, reply.payloadJson);
  }

  /** For health checks: a connection can be had. @throws AppError DEPENDENCY.RETRIEVAL_UNAVAILABLE */
  async waitUntilReachable(deadline: Date): Promise<void> {
    await new Promise<void>((resolve, reject) =>
      this.client.waitForReady(deadline, (cause) => (cause ? reject(unavailable(cause)) : resolve())),
    );
  }

  close(): void {
    this.client.close();
  }

  private send(
    method: RetrievalMethod,
    call: RetrievalWireCall,
    { deadline, signal }: { deadline: Date; signal?: AbortSignal },
  ): Promise<RetrievalWireReply> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal));
        return;
      }
      const name = GRPC_METHODS[method];
      const unary = (this.client as Client & Record<typeof name, UnaryMethod>)[name].bind(this.client);
      const pending = unary(call, traceMetadata(), { deadline }, (error, reply) => {
        signal?.removeEventListener('abort', cancel);
        if (error) reject(signal?.aborted ? abortError(signal) : toAppError(error));
        else resolve(reply as RetrievalWireReply);
      });
      const cancel = (): void => pending.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
}

function parseReply<M extends RetrievalMethod>(method: M, payloadJson: string): RetrievalReply<M> {
  try {
    return RETRIEVAL_METHODS[method].reply.parse(JSON.parse(payloadJson)) as RetrievalReply<M>;
  } catch (error) {
    throw AppError.from(error);
  }
}

function loadService(): ServiceClientConstructor {
  const definition = loadPackageDefinition(loadSync(retrievalProtoPath(), { keepCase: false, defaults: true }));
  const service = RETRIEVAL_PACKAGE.split('.').reduce<unknown>(
    (level, name) => (level as Record<string, unknown>)[name],
    definition,
  );
  return (service as Record<typeof RETRIEVAL_SERVICE, ServiceClientConstructor>)[RETRIEVAL_SERVICE];
}

function clientCredentials({ ca, cert, key }: GrpcTls): ChannelCredentials {
  return credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert));
}

function traceMetadata(): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(injectTrace())) metadata.set(name, value);
  return metadata;
}

function abortError(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  return reason instanceof AppError ? reason : new AppError('REQUEST.CANCELLED', { cause: reason });
}

function unavailable(cause: unknown): AppError {
  return new AppError('DEPENDENCY.RETRIEVAL_UNAVAILABLE', { retryAfterSeconds: 1, cause });
}

function toAppError(error: ServiceError): AppError {
  switch (error.code) {
    case status.UNAVAILABLE:
      return unavailable(error);
    case status.DEADLINE_EXCEEDED:
      return new AppError('DEADLINE.EXCEEDED', { cause: error });
    case status.CANCELLED:
      return new AppError('REQUEST.CANCELLED', { cause: error });
    default:
      return AppError.from(error);
  }
}
