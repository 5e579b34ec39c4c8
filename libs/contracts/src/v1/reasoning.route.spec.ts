import { describe, expect, it } from '@jest/globals';
import { reasoningBodySchema } from './reasoning.route.js';

const askFor = (generationId: unknown) =>
  reasoningBodySchema.safeParse({ query: 'q', generation: { generation_id: generationId } });

describe('the generation that a reasoning request asks for', () => {
  it.each(['other-generation', 'g', 'g'.repeat(200), ' '])(
    'can be any text, as it may be none that is served: %j',
    (id) => {
      expect(askFor(id).data?.generation?.generation_id).toBe(id);
    },
  );

  it('is in lower case, as the ids of generations are', () => {
    const id = 'B3F6C1DE-0D5A-4A43-8A2F-6F2F0F2B1A90';
    expect(askFor(id).data?.generation?.generation_id).toBe(id.toLowerCase());
  });

  // The lower case of `İ` is two characters.
  it.each(['', 'g'.repeat(201), 'İ'.repeat(101), 7])(
    'cannot be empty, longer than 200 characters, or no text: %j',
    (id) => {
      expect(askFor(id).error?.issues[0]?.path).toEqual(['generation', 'generation_id']);
    },
  );

  it('is the same when it is read again from a job', () => {
    const { data } = askFor('İ'.repeat(100));
    expect(reasoningBodySchema.parse(data)).toEqual(data);
  });
});
