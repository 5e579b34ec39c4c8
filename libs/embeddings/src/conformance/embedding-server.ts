import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HashingEmbedder } from '../hashing/hashing-embedder.js';

export interface EmbeddingRequest {
  authorization: string | undefined;
  organization: string | undefined;
  body: { model: string; input: string[]; encoding_format: string };
}

/** Answers one request instead of the usual reply; `false` = the usual reply after all. */
export type Script = (
  request: EmbeddingRequest,
  response: ServerResponse,
  attempt: number,
) => boolean | Promise<boolean>;

/** A real HTTP server on loopback that speaks `POST /v1/embeddings` with hashed vectors and can be told to misbehave. */
export class EmbeddingServer {
  readonly requests: EmbeddingRequest[] = [];
  script: Script = () => false;
  underway = 0;
  mostUnderway = 0;
  private readonly hashing: HashingEmbedder;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  constructor(dimensions = 64) {
    this.hashing = new HashingEmbedder({ dimensions });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Rows in reverse order and not normalized, as a lawful server may send them. */
  async embed(input: string[]): Promise<{ index: number; embedding: number[] }[]> {
    const vectors = await this.hashing.embedPassages(input);
    return vectors
      .map((vector, index) => ({ index, embedding: Array.from(vector, (value) => value * 3) }))
      .toReversed();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.underway += 1;
    this.mostUnderway = Math.max(this.mostUnderway, this.underway);
    response.once('close', () => (this.underway -= 1));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const received: EmbeddingRequest = {
      authorization: request.headers.authorization,
      organization: request.headers['openai-organization'] as string | undefined,
      body: JSON.parse(Buffer.concat(parts).toString('utf8')) as EmbeddingRequest['body'],
    };
    this.requests.push(received);
    if (await this.script(received, response, this.requests.length)) return;
    if (received.body.input.some((text) => text === ''))
      return sendJson(response, 400, { error: { message: 'empty' } });
    const data = await this.embed(received.body.input);
    return sendJson(response, 200, { object: 'list', model: received.body.model, data, usage: {} });
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
