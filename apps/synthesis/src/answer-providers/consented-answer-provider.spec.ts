import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type RetrievalCall, type RetrievalClient } from '@candor/contracts';
import type { SynthesisRequest } from '@candor/reasoning';
import type { BothFormatsProvider } from '../create-answer-provider.js';
import { ConsentedAnswerProvider } from './consented-answer-provider.js';
import { OpenAiCompatibleAnswerProvider } from './openai-compatible/openai-compatible.answer-provider.js';

const OUTPUT = { statements: [], limitations: [] };
const call = { requestId: 'r', callerToken: 'signed' } as unknown as RetrievalCall;
const request: SynthesisRequest = {
  query: 'planted question',
  packet: { text: 'planted content', admitted: [] } as never,
};
const prompt = { system: 'planted', user: 'planted content' };
const context = { signal: new AbortController().signal, deadlineMs: 10_000 };

/** What a server elsewhere gets to see: every connection and every byte. */
describe('an external model and the consent of a tenant', () => {
  let server: Server;
  let connections: number;
  let bytes: string;
  let asked: RetrievalCall[];
  let consent: () => Promise<unknown>;
  let provider: ConsentedAnswerProvider;

  beforeEach(async () => {
    [connections, bytes, asked] = [0, '', []];
    server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      const content = JSON.stringify(OUTPUT);
      response.end(
        JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }] }),
      );
    });
    server.on('connection', (socket: Socket) => {
      connections += 1;
      socket.on('data', (part: Buffer) => (bytes += part.toString()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const external = new OpenAiCompatibleAnswerProvider({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      model: 'm',
    });
    const local = {
      name: 'extractive',
      synthesize: async () => OUTPUT,
      answer: async () => OUTPUT,
    } as BothFormatsProvider;
    const retrieval = {
      call: async (method: string, who: RetrievalCall) => {
        expect(method).toBe('modelConsent');
        asked.push(who);
        return { result: await consent(), facts: {} };
      },
    } as unknown as RetrievalClient;
    provider = new ConsentedAnswerProvider({ external, local, retrieval, call });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each<[string, () => Promise<unknown>]>([
    ['there is none', async () => ({ isGiven: false })],
    ['the answer is something else', async () => ({ isGiven: 'yes' })],
    ['the answer is empty', async () => ({})],
  ])('sends not one byte when %s; the local provider answers, and says so', async (_name, answer) => {
    consent = answer;
    expect(await provider.synthesize(request)).toEqual(OUTPUT);
    expect(await provider.answer(prompt, context)).toEqual(OUTPUT);
    expect(provider.name).toBe('extractive');
    expect([connections, bytes]).toEqual([0, '']);
    expect(asked).toEqual([call, call]);
  });

  it.each(['DEPENDENCY.RETRIEVAL_UNAVAILABLE', 'AUTH.INVALID_KEY', 'DEPENDENCY.DATABASE_UNAVAILABLE'] as const)(
    'fails, and sends not one byte, when it cannot be asked: %s',
    async (code) => {
      consent = async () => {
        throw new AppError(code);
      };
      await expect(provider.synthesize(request)).rejects.toMatchObject({ code });
      await expect(provider.answer(prompt, context)).rejects.toMatchObject({ code });
      expect([connections, bytes]).toEqual([0, '']);
      expect(provider.name).toBe('extractive');
    },
  );

  it('asks the model with consent, and no more from the call on that finds it withdrawn', async () => {
    let isGiven = true;
    consent = async () => ({ isGiven });
    await provider.synthesize(request);
    expect(connections).toBe(1);
    expect(bytes).toContain('planted question');
    expect(provider.name).toBe('openai-compatible');
    const before = bytes;
    isGiven = false;
    await provider.synthesize(request);
    expect(bytes).toBe(before);
    expect(provider.name).toBe('extractive');
  });
});
