import { ITEM_STATES } from '@candor/contracts';
import { describeUpload } from './describe-upload.js';

describe('describeUpload', () => {
  it('goes forward stage by stage', () => {
    const stages = [
      describeUpload({ phase: 'waiting', status: undefined }),
      describeUpload({ phase: 'sending', status: undefined }),
      describeUpload({ phase: 'sent', status: undefined }),
      ...(['extracting', 'indexing', 'indexed'] as const).map((status) => describeUpload({ phase: 'sent', status })),
    ];
    expect(stages.map(({ step }) => step)).toEqual([0, 0, 1, 2, 3, 4]);
    expect(stages.slice(0, 2).map(({ label }) => label)).toEqual(['Waiting for its turn', 'Sending']);
    expect(stages.at(-1)).toMatchObject({ label: 'Searchable', text: '4 of 4' });
  });

  it('has words for every state', () => {
    for (const status of ITEM_STATES) expect(describeUpload({ phase: 'sent', status }).label).not.toBe('');
  });
});
