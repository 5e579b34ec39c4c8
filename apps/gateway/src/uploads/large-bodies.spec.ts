import { request as sendRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
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
import { LargeBodies } from './large-bodies.js';
import { isUpload } from './upload.interceptor.js';

const ROOM = 25 * 1024 * 1024;
const LARGE = 2 * DEFAULT_BODY_LIMIT_BYTES;
let allowedActions: Action[] = [];
let parsed = 0;
let authenticated: Promise<void> = Promise.resolve();
let arrived: () => void = () => undefined;
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
    const largeBodies = new LargeBodies(new BodyMemory(ROOM), isUpload);
    const app = await createHttpApp(LargeBodyModule, {
      service: 'large-bodies',
      logger: createLogger('large-bodies', { level: 'silent' }),
      bodyLimits: bodyLimit,
      streamsBody: isUpload,
      beforeBody: [
        (_request, _response, next) => {
          requireRequestContext().apiKey = { scope: { allowedActions } };
          void authenticated.then(() => next());
          arrived();
        },
        largeBodies.middleware,
      ],
      onBodyRead: (request, bytes) => largeBodies.noteRead(request, bytes),
    });
    running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
  });
  afterAll(() => running.stop());
  beforeEach(() => {
    allowedActions = ['documents:write'];
    parsed = 0;
    released = Promise.resolve();
    authenticated = Promise.resolve();
    arrived = () => undefined;
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

  it('count with what they became once that is known, and with all that they may become before', async () => {
    let release: () => void = () => undefined;
    released = new Promise((resolve) => (release = resolve));
    let holding = new Promise<void>((resolve) => (entered = resolve));
    const packed = gzipSync(json(LARGE));
    const first = send(packed, { 'content-encoding': 'gzip' });
    await holding;
    // Of 25 MiB 20 may come to be, and two of them have.
    holding = new Promise<void>((resolve) => (entered = resolve));
    const second = send(packed, { 'content-encoding': 'gzip' });
    await holding;
    holding = new Promise<void>((resolve) => (entered = resolve));
    const third = send(json(15 * 1024 * 1024));
    await holding;
    expect((await send(packed, { 'content-encoding': 'gzip' })).status).toBe(429);
    release();
    expect([(await first).status, (await second).status, (await third).status]).toEqual([202, 202, 202]);
  });

  it('of callers that hang up keep no room, whenever they do', async () => {
    let goOn: () => void = () => undefined;
    for (const isWaiting of [true, false]) {
      for (let count = 0; count < 3; count += 1) {
        authenticated = isWaiting ? new Promise((resolve) => (goOn = resolve)) : Promise.resolve();
        const arriving = new Promise<void>((resolve) => (arrived = resolve));
        const request = sendRequest(`${running.url}/v1/documents`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': 15 * 1024 * 1024 },
        });
        request.on('error', () => undefined);
        const closed = new Promise((resolve) => request.once('close', resolve));
        request.flushHeaders();
        await arriving;
        request.destroy();
        await closed;
        await delay(50);
        goOn();
      }
    }
    authenticated = Promise.resolve();
    await delay(50);
    expect((await send(json(15 * 1024 * 1024))).status).toBe(202);
  });
});
