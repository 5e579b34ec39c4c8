import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One chat completion as it was asked for. */
export interface ModelCall {
  path: string;
  headers: IncomingMessage['headers'];
  body: {
    model: string;
    messages: { role: string; content: string }[];
    response_format?: { type: string; json_schema?: { strict?: boolean } };
  };
}

/** A chunk as the prompt shows it, unescaped. */
export interface ShownChunk {
  chunkId: string;
  title: string;
  content: string;
}

export type ModelScript = (call: ModelCall, response: ServerResponse) => void;

/** An OpenAI-compatible endpoint on loopback that plays what the test wants, bad manners included. */
export class ScriptedModelServer {
  calls: ModelCall[] = [];
  private script: ModelScript = answerWith({ statements: [], limitations: [] });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedModelServer> {
    const server = createServer();
    const scripted = new ScriptedModelServer(server);
    server.on('request', (request, response) => void scripted.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  /** For `LLM_BASE_URL`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Plays from now on, and counts the calls anew. */
  play(script: ModelScript): void {
    this.calls = [];
    this.script = script;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    request.setEncoding('utf8');
    for await (const part of request) text += String(part);
    const call = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(text || '{}') as ModelCall['body'],
    };
    this.calls.push(call);
    this.script(call, response);
  }
}

/** The evidence of a call, in the order of its packet. */
export function readShownChunks(call: ModelCall): ShownChunk[] {
  const prompt = call.body.messages.map(({ content }) => content).join('\n');
  return [...prompt.matchAll(/<chunk id="([^"]+)" title="([^"]*)">\n([\s\S]*?)\n<\/chunk>/g)].map(
    ([, chunkId = '', title = '', content = '']) => ({
      chunkId,
      title: unescapeXml(title),
      content: unescapeXml(content),
    }),
  );
}

/** A completion whose content is this value as JSON; a function gets the evidence that was shown. */
export function answerWith(content: unknown): ModelScript {
  return (call, response) => {
    const value =
      typeof content === 'function' ? (content as (c: ShownChunk[]) => unknown)(readShownChunks(call)) : content;
    sendCompletion(response, JSON.stringify(value));
  };
}

/** A completion with this text, JSON or not. */
export function answerWithText(content: string): ModelScript {
  return (_, response) => sendCompletion(response, content);
}

export function failWith(status: number): ModelScript {
  return (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end('{"error":{"message":"planted provider text"}}');
}

/** Never answers. */
export const hang: ModelScript = () => undefined;

export const closeSocket: ModelScript = (_, response) => void response.socket?.destroy();

function sendCompletion(response: ServerResponse, content: string): void {
  const body = {
    id: 'completion-1',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function unescapeXml(text: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}
