import { aChunk, idOf } from '../testing/builders.js';
import { repeatsPassage } from './repeats-passage.js';

const section = aChunk({
  level: 'section',
  sectionPath: ['Brand', 'Colour'],
  content: '## Colour\n\nWe keep lime  green.',
});
const paragraph = aChunk({ parentId: section.chunkId, content: 'We keep lime green.' });

describe('repeatsPassage', () => {
  it('knows a section by its only paragraph, in either order', () => {
    expect(repeatsPassage(section, paragraph)).toBe(true);
    expect(repeatsPassage(paragraph, section)).toBe(true);
    expect(repeatsPassage({ ...section, content: 'We keep lime green.' }, paragraph)).toBe(true);
  });

  it('keeps a section that says more', () => {
    const longer = { ...section, content: '## Colour\n\nOrange was rejected. We keep lime green.' };
    expect(repeatsPassage(longer, paragraph)).toBe(false);
    expect(repeatsPassage({ ...section, content: '## Colour\n\nWe keep lime green. Always.' }, paragraph)).toBe(false);
  });

  it('keeps a section that is not the parent', () => {
    expect(repeatsPassage(section, { ...paragraph, parentId: null, content: 'lime green.' })).toBe(false);
  });

  it('does not compare across items', () => {
    expect(repeatsPassage(paragraph, { ...paragraph, itemId: idOf(2) })).toBe(false);
  });
});
