import { ITEM_STATES } from '@candor/contracts';
import { describeUpload } from './describe-upload.js';

describe('describeUpload', () => {
  it('goes forward stage by stage', () => {
    const stages = [
      describeUpload({ isSent: false, status: undefined }),
      describeUpload({ isSent: true, status: undefined }),
      ...(['extracting', 'indexing', 'indexed'] as const).map((status) => describeUpload({ isSent: true, status })),
    ];
    expect(stages.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
    expect(stages.at(-1)).toMatchObject({ label: 'Searchable', text: '4 of 4' });
  });

  it('has words for every state', () => {
    for (const status of ITEM_STATES) expect(describeUpload({ isSent: true, status }).label).not.toBe('');
  });
});
