import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the provider saw it. */
export interface ProviderCall {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
  /** Fields of a urlencoded body, over those of the query. */
  form: URLSearchParams;
}

export interface ProviderAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Objects are sent as JSON; strings and bytes as they are. */
  body?: unknown;
}

type Handler = (call: ProviderCall) => ProviderAnswer | 'hang up' | 'never';

/** A provider's API on loopback that answers what the test says, bad manners included. Unknown paths are 404. */
export class ScriptedProviderServer {
  calls: ProviderCall[] = [];
  private readonly handlers: { matches: (call: ProviderCall) => boolean; answer: Handler }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedProviderServer> {
    const server = createServer();
    const scripted = new ScriptedProviderServer(server);
    server.on('request', (request, response) => void scripted.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** The newest handler of a path wins. A string is the whole path; with the method before it, of that method alone. */
  on(target: string | RegExp, answer: Handler): this {
    const matches = (call: ProviderCall): boolean =>
      typeof target === 'string'
        ? target === call.path || target === `${call.method} ${call.path}`
        : target.test(call.path);
    this.handlers.unshift({ matches, answer });
    return this;
  }

  /** These answers in turn, the last one for ever. */
  onceEach(target: string | RegExp, answers: readonly [ProviderAnswer, ...ProviderAnswer[]]): this {
    let next = 0;
    return this.on(target, () => {
      const answer = answers[Math.min(next, answers.length - 1)] ?? answers[0];
      next += 1;
      return answer;
    });
  }

  callsOf(path: string): ProviderCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url ?? '/', 'http://provider');
    const body = Buffer.concat(parts).toString('utf8');
    const form = new URLSearchParams(url.searchParams);
    if (String(request.headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
      new URLSearchParams(body).forEach((value, key) => form.set(key, value));
    }
    const call = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      form,
    };
    this.calls.push(call);
    const answer: ReturnType<Handler> = this.handlers.find(({ matches }) => matches(call))?.answer(call) ?? {
      status: 404,
      body: { error: 'no such path' },
    };
    if (answer === 'never') return;
    if (answer === 'hang up') {
      request.socket.destroy();
      return;
    }
    const isJson = answer.body !== undefined && typeof answer.body !== 'string' && !(answer.body instanceof Uint8Array);
    response.writeHead(answer.status ?? 200, {
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...answer.headers,
    });
    response.end(isJson ? JSON.stringify(answer.body) : answer.body);
  }
}
