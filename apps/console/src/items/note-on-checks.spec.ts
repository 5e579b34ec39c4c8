import type { CitationCheck } from '@candor/contracts';
import { noteOnChecks } from './note-on-checks.js';

const rejected = (reason: CitationCheck['reason']): CitationCheck => ({ chunkId: 'c', status: 'rejected', reason });

describe('noteOnChecks', () => {
  it('says that the passage is marked as a whole only where it is', () => {
    expect(noteOnChecks([rejected('not_found')], false)).toEqual([
      'These words are not in the passage any more; it is marked as a whole.',
    ]);
    expect(noteOnChecks([rejected('not_found')], true)).toEqual([
      'Some of the words are not in the passage any more; the others are marked.',
    ]);
    expect(noteOnChecks([rejected('empty_quotation')], true)).toEqual([
      'One quotation is empty; the others are marked.',
    ]);
  });

  it('says everything else alike, once, and nothing of what stands there as quoted', () => {
    const changed = ['The source has changed since: its present version does not say this any more.'];
    const checks = [rejected('version_changed'), rejected('version_changed')];
    expect(noteOnChecks([...checks, { chunkId: 'c', status: 'verified' }], true)).toEqual(changed);
    expect(noteOnChecks(checks, false)).toEqual(changed);
  });
});
