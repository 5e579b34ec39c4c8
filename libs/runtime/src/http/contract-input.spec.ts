import { Controller, Req } from '@nestjs/common';
import { defineRoute } from '@candor/contracts';
import type { Request } from 'express';
import { z } from 'zod';
import { createLogger } from '../logging/create-logger.js';
import { ContractInput } from './contract-input.js';
import { Contract } from './contract.decorator.js';
import { createHttpApp } from './create-http-app.js';
import { listenUntilSignal, type RunningApp } from './listen-until-signal.js';

const fields = { summary: 'Sample', audit: 'search.query', response: z.json(), status: 200 } as const;
const countRoute = defineRoute({
  ...fields,
  method: 'GET',
  path: '/v1/samples/:id/count',
  action: 'search',
  params: z.strictObject({ id: z.uuid({ error: 'must be a UUID' }) }),
});
const signedRoute = defineRoute({ ...fields, method: 'POST', path: '/v1/signed', action: 'signed' });

@Controller()
class SampleController {
  @Contract(countRoute)
  count(): number {
    return 1;
  }
  @Contract(signedRoute, { readsRequest: true })
  take(@Req() request: Request): unknown {
    return request.body;
  }
}
class SampleModule {}
Reflect.defineMetadata('controllers', [SampleController], SampleModule);

const ID = '11111111-1111-4111-8111-111111111111';

describe('a handler that takes no input', () => {
  let running: RunningApp;
  beforeAll(async () => {
    const logger = createLogger('sample', { stream: { write: () => undefined } });
    const app = await createHttpApp(SampleModule, { service: 'sample', logger, bodyLimits: () => 4_096 });
    running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
  });
  afterAll(() => running.stop());

  it('answers what is asked well', async () => {
    const response = await fetch(`${running.url}/v1/samples/${ID}/count`);
    expect([response.status, await response.json()]).toEqual([200, 1]);
  });

  it.each([
    ['an unknown parameter', `/v1/samples/${ID}/count?foo=1`, 'unknown field "foo"'],
    ['a bad parameter of the path', '/v1/samples/1/count', 'id must be a UUID'],
  ])('refuses %s all the same', async (_, path, message) => {
    const response = await fetch(running.url + path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'REQUEST.INVALID', message } });
  });

  it('gets the request as it is when it says that it reads it', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${running.url}/v1/signed?foo=1`, { method: 'POST', headers, body: '{"event":1}' });
    expect([response.status, await response.json()]).toEqual([200, { event: 1 }]);
  });
});

describe('a handler that reads the request itself', () => {
  it('cannot take a checked input, which is told as its class is made', () => {
    const declare = () => {
      class UncheckedController {
        @Contract(signedRoute, { readsRequest: true })
        take(@Req() request: Request, @ContractInput() input: unknown): unknown {
          return { request, input };
        }
      }
      return UncheckedController;
    };
    expect(declare).toThrow('POST /v1/signed: @ContractInput() has nothing to give with `readsRequest`');
  });
});
