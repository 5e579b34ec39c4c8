import { afterEach, expect, it, jest } from '@jest/globals';
import { openClient } from './open-client.js';

const ORIGIN = 'https://candor.example';

afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'window');
});

it('asks the gateway that served the page, and waits longer than any deadline of its own', async () => {
  Object.assign(globalThis, { window: { location: { origin: ORIGIN } } });
  const sent = jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json({ data: [] })));
  const deadline = jest.spyOn(AbortSignal, 'timeout');
  expect(await openClient('key').listSources()).toEqual({ data: [] });
  expect((sent.mock.calls[0]?.[0] as Request).url).toBe(`${ORIGIN}/v1/sources`);
  expect(deadline).toHaveBeenCalledWith(600_000);
});
