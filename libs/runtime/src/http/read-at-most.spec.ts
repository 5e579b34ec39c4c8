import { describe, expect, it } from '@jest/globals';
import { readAtMost } from './read-at-most.js';

/** Ends after the parts, or where `failure` is given, with it. */
function streamOf(parts: string[], failure?: Error): { body: ReadableStream<Uint8Array>; isCancelled: () => boolean } {
  let cancelled = false;
  const left = parts.map((part) => new TextEncoder().encode(part));
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = left.shift();
      if (part) controller.enqueue(part);
      else if (failure) controller.error(failure);
      else controller.close();
    },
    cancel: () => void (cancelled = true),
  });
  return { body, isCancelled: () => cancelled };
}

describe('readAtMost', () => {
  it('gives a body of as many bytes', async () => {
    const { body, isCancelled } = streamOf(['ab', 'cé']);
    expect((await readAtMost(body, 5))?.toString()).toBe('abcé');
    expect(isCancelled()).toBe(false);
  });

  it('gives an empty one where there is none', async () => {
    expect(await readAtMost(null, 0)).toEqual(Buffer.alloc(0));
    expect(await readAtMost(streamOf([]).body, 0)).toEqual(Buffer.alloc(0));
  });

  it('leaves a longer one, and hangs up', async () => {
    const { body, isCancelled } = streamOf(['ab', 'cd', 'ef']);
    expect(await readAtMost(body, 3)).toBeUndefined();
    expect(isCancelled()).toBe(true);
  });

  it('fails as the body does', async () => {
    const failure = new Error('broken off');
    await expect(readAtMost(streamOf(['ab'], failure).body, 9)).rejects.toBe(failure);
  });
});
