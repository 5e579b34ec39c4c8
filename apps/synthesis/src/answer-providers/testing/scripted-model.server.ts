import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { parseEvidencePayload } from '@candor/reasoning';

export interface ReceivedCall {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: {
    model: string;
    temperature: number;
    max_tokens: number;
    messages: Array<{ role: string; content: string }>;
    response_format: { type: string; json_schema: { strict: boolean; schema: Record<string, unknown> } };
  };
}

export type Script = (call: ReceivedCall, response: ServerResponse) => void;

/** A chat-completions endpoint on loopback that does what the test says, bad manners included. */
export class ScriptedModelServer {
  readonly calls: ReceivedCall[] = [];
  private script: Script = answerWith('{"statements":[],"limitations":[]}');

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedModelServer> {
    const server = createServer();
    // A connection closed for idling on a busy machine would look like a provider's failure.
    server.keepAliveTimeout = 0;
    const scripted = new ScriptedModelServer(server);
    server.on('request', (request, response) => void scripted.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  play(script: Script): void {
    this.script = script;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) text += String(part);
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(text) as ReceivedCall['body'],
    };
    this.calls.push(call);
    this.script(call, response);
  }
}

/** A well-formed completion with this content. */
export function answerWith(
  content: string | null,
  message: Record<string, unknown> = {},
  finishReason?: string,
): Script {
  return (_, response) => sendCompletion(response, content, message, finishReason);
}

export function failWith(status: number, body = '{"error":{"message":"planted provider text"}}'): Script {
  return (_, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** Never answers. */
export const hang: Script = () => undefined;

/** Sends headers and half a body, and then nothing more. */
export const stallInBody: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[');
};

export const closeSocket: Script = (_, response) => void response.socket?.destroy();

export function sendRaw(body: string, contentType: string | null = 'application/json'): Script {
  return (_, response) => {
    if (contentType !== null) response.setHeader('content-type', contentType);
    response.end(body);
  };
}

/** A few bytes on the way that become a well-formed completion and `size` bytes of spaces after it. */
export function sendBomb(content: string, size: number): Script {
  const body = gzipSync(`${JSON.stringify(completionOf(content))}${' '.repeat(size)}`);
  return (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
}

/** Spaces, as fast as they are taken, until the other side goes away or `size` bytes are sent; tells which. */
export function sendSpaces(status: number, size: number): { script: Script; ended: Promise<'left' | 'sent'> } {
  let end: (how: 'left' | 'sent') => void = () => undefined;
  const ended = new Promise<'left' | 'sent'>((resolve) => (end = resolve));
  const script: Script = (_, response) => {
    response.on('close', () => end('left')).writeHead(status, { 'content-type': 'application/json' });
    const part = ' '.repeat(64 * 1024);
    const send = (left: number): void => {
      if (left <= 0) return void response.end(() => end('sent'));
      if (response.write(part)) setImmediate(send, left - part.length);
      else response.once('drain', () => send(left - part.length));
    };
    send(size);
  };
  return { script, ended };
}

/** A small honest model: quotes, from each chunk, the sentence that shares most words with the question, if two or more. */
export const answerHonestly: Script = (call, response) => {
  const prompt = call.body.messages.find((message) => message.role === 'user')?.content ?? '';
  if (prompt.startsWith('{')) return sendCompletion(response, JSON.stringify(answerEnvelope(prompt)));
  const question = new Set(readWords(prompt.slice(prompt.lastIndexOf('\n\nQuestion: ') + 12)));
  const statements = [...prompt.matchAll(/<chunk id="([^"]+)" title="[^"]*">\n([^<]*)\n<\/chunk>/g)].flatMap(
    ([, chunkId = '', content = '']) => {
      const sentences = content.split(/(?<=[.!?])\s+/).map((quotation) => ({
        quotation,
        shared: new Set(readWords(quotation).filter((word) => question.has(word))).size,
      }));
      const best = sentences.sort((a, b) => b.shared - a.shared)[0];
      if (best === undefined || best.shared < 2) return [];
      return [{ text: best.quotation, references: [{ chunkId, quotation: best.quotation }] }];
    },
  );
  const limitations = statements.length === 0 ? ['The evidence does not answer the question.'] : [];
  sendCompletion(response, JSON.stringify({ statements, limitations }));
};

/** The same for an evidence prompt. */
function answerEnvelope(prompt: string): object {
  const { question, evidence } = parseEvidencePayload(prompt);
  const asked = new Set(readWords(question));
  const quoted = evidence.flatMap(({ id, text }) => {
    const best = text
      .split(/(?<=[.!?])\s+/)
      .find((sentence) => readWords(sentence).filter((word) => asked.has(word)).length > 1);
    return best === undefined ? [] : [{ id, best }];
  });
  return {
    answer: quoted.map(({ best }) => best).join(' '),
    citations: quoted.map(({ id }) => id),
    insufficient_evidence: quoted.length === 0,
  };
}

function readWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

function sendCompletion(
  response: ServerResponse,
  content: string | null,
  message?: Record<string, unknown>,
  finishReason?: string,
): void {
  const body = JSON.stringify(completionOf(content, message, finishReason));
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

function completionOf(content: string | null, message: Record<string, unknown> = {}, finishReason = 'stop'): object {
  return {
    id: 'completion-1',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content, ...message } }],
  };
}
