import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  method: string;
  path: string;
  idempotencyKey: string | undefined;
  contentType: string;
  body: string;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** Stands for the gateway over HTTP: records what comes and answers as told. */
export class RecordingGateway {
  readonly requests: Recorded[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(answer: (request: Recorded, count: number) => Answer): Promise<RecordingGateway> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const gateway = new RecordingGateway(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const recorded: Recorded = {
          method: request.method ?? '',
          path: request.url ?? '',
          idempotencyKey: request.headers['idempotency-key'] as string | undefined,
          contentType: request.headers['content-type'] ?? '',
          body: Buffer.concat(parts).toString('latin1'),
        };
        gateway.requests.push(recorded);
        const { status, headers = {}, body } = answer(recorded, gateway.requests.length);
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      });
    });
    return gateway;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
