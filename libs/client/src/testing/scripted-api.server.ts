import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** `hang`: no answer; `drop`: the connection ends. */
export type Script = (request: Received, count: number) => Answer | 'hang' | 'drop';

/** Plays the gateway over HTTP; keeps what it got. */
export class ScriptedApi {
  readonly requests: Received[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(script: Script): Promise<ScriptedApi> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = new ScriptedApi(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void api.answer(request, response, script));
    return api;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse, script: Script): Promise<void> {
    let body = '';
    request.setEncoding('latin1');
    for await (const part of request) body += String(part);
    const received = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    this.requests.push(received);
    const answer = script(received, this.requests.length);
    if (answer === 'hang') return;
    if (answer === 'drop') return void response.destroy();
    const { status = 200, headers = {}, body: sent } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(sent === undefined ? '' : typeof sent === 'string' ? sent : JSON.stringify(sent));
  }
}

export function refusal(status: number, type: string, headers: Record<string, string> = {}): Answer {
  const error = { code: status, type, message: `It is ${type}.`, details: { field: 'query' }, requestId: 'r' };
  return { status, headers: { 'x-request-id': 'r', ...headers }, body: { error } };
}
