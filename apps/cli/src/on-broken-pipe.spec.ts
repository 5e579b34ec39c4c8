import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { onBrokenPipe } from './on-broken-pipe.js';
import { runCli } from './run-cli.js';
import { RecordingGateway } from './testing/recording-gateway.js';

/** Standard output whose reader goes after the first line. */
function closingPipe(): Writable & { isTTY?: boolean } {
  let isFirst = true;
  return new Writable({
    write(_part, _encoding, done) {
      done(isFirst ? null : Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      isFirst = false;
    },
  });
}

describe('a reader of the output who goes', () => {
  it('hides nothing of what doctor found broken', async () => {
    const gateway = await RecordingGateway.start(() => ({ status: 503, body: { checks: { queue: 'failed' } } }));
    const out = closingPipe();
    let exitCode = 0;
    const codeThen = new Promise((resolve) => onBrokenPipe(out, () => resolve(exitCode)));
    const environment = { CANDOR_URL: gateway.url, CANDOR_API_KEY: 'no key' };
    const streams = { in: new PassThrough(), out, error: new PassThrough() };
    await runCli(['doctor'], environment, streams, (code) => (exitCode = code));
    await gateway.stop();
    expect(await codeThen).toBe(1);
  });

  it('is no failure; any other is', () => {
    const out = new PassThrough();
    const leave = jest.fn();
    onBrokenPipe(out, leave);
    out.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(leave).toHaveBeenCalledTimes(1);
    expect(() => out.emit('error', new Error('The disk is full.'))).toThrow('The disk is full.');
  });
});
