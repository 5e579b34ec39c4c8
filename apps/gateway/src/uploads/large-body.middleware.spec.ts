import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { createDocumentRoute, DEFAULT_BODY_LIMIT_BYTES, type Action } from '@candor/contracts';
import {
  Contract,
  createHttpApp,
  createLogger,
  listenUntilSignal,
  requireRequestContext,
  type RunningApp,
} from '@candor/runtime';
import { bodyLimit } from '../request/body-limit.js';
import { BodyMemory } from './body-memory.js';
import { largeBodyMiddleware } from './large-body.middleware.js';
import { isUpload } from './upload.interceptor.js';

const ROOM = 25 * 1024 * 1024;
const LARGE = 2 * DEFAULT_BODY_LIMIT_BYTES;
let allowedActions: Action[] = [];
let parsed = 0;
let released: Promise<void> = Promise.resolve();
let entered: () => void = () => undefined;

@Controller()
class HoldingController {
  @Contract(createDocumentRoute)
  async hold(): Promise<object> {
    parsed += 1;
    entered();
    await released;
    return {};
  }
}
@Module({ controllers: [HoldingController] })
class LargeBodyModule {}

describe('large bodies', () => {
  let running: RunningApp;
  beforeAll(async () => {
    const app = await createHttpApp(LargeBodyModule, {
      service: 'large-bodies',
      logger: createLogger('large-bodies', { level: 'silent' }),
      bodyLimits: bodyLimit,
      streamsBody: isUpload,
      beforeBody: [
        (_request, _response, next) => {
          requireRequestContext().apiKey = { scope: { allowedActions } };
          next();
        },
        largeBodyMiddleware(new BodyMemory(ROOM), isUpload),
      ],
    });
    running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
  });
  afterAll(() => running.stop());
  beforeEach(() => {
    allowedActions = ['documents:write'];
    parsed = 0;
    released = Promise.resolve();
  });

  const send = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${running.url}/v1/documents`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const json = (length: number): string => JSON.stringify({ title: 'A', content: 'B' }).padEnd(length);

  it('are not read for a key that the route is not for', async () => {
    allowedActions = ['search'];
    const response = await send(json(LARGE));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { type: 'AUTH.ACTION_NOT_ALLOWED' } });
    expect(parsed).toBe(0);
  });

  it('are left to the guard while they are no larger than others', async () => {
    allowedActions = ['search'];
    expect((await send(json(10))).status).toBe(202);
  });

  it('are read as many at once as there is room for, and give it back', async () => {
    let release: () => void = () => undefined;
    released = new Promise((resolve) => (release = resolve));
    const holding = new Promise<void>((resolve) => (entered = resolve));
    const first = send(json(15 * 1024 * 1024));
    await holding;
    const refused = await send(json(15 * 1024 * 1024));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    // What is small needs no room.
    const small = send(json(10));
    release();
    expect([(await first).status, (await small).status]).toEqual([202, 202]);
    expect((await send(json(15 * 1024 * 1024))).status).toBe(202);
  });

  it('count with all that they may become where their length says little', async () => {
    let release: () => void = () => undefined;
    released = new Promise((resolve) => (release = resolve));
    const holding = new Promise<void>((resolve) => (entered = resolve));
    const packed = gzipSync(json(LARGE));
    const first = send(packed, { 'content-encoding': 'gzip' });
    await holding;
    expect((await send(packed, { 'content-encoding': 'gzip' })).status).toBe(429);
    release();
    expect((await first).status).toBe(202);
  });
});
