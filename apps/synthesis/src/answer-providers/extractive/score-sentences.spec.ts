import { describe, expect, it } from '@jest/globals';
import { scoreSentences, shortlistSentences } from './score-sentences.js';

const chunk = (chunkId: string, content: string, documentTitle = 'Notes', truncated = false) => ({
  chunkId,
  documentId: `doc-of-${chunkId}`,
  documentTitle,
  content,
  truncated,
});
const scoresOf = (question: string, ...chunks: Array<ReturnType<typeof chunk>>) =>
  new Map(scoreSentences(question, chunks).map(({ sentence, wordScore }) => [sentence.text, wordScore]));

describe('scoreSentences', () => {
  it('gives 1 for all of the question’s content words and 0 for none', () => {
    const scores = scoresOf(
      'What is the upload limit?',
      chunk('a', 'The upload limit is 5. Soup is served.', 'Menu'),
      chunk('b', 'Cake.'),
    );
    expect(scores.get('The upload limit is 5.')).toBeCloseTo(1);
    expect(scores.get('Cake.')).toBe(0);
  });

  it('counts a word of the sentence before, of the title or of the chunk in part', () => {
    const scores = scoresOf(
      'When was Orion released?',
      chunk('a', 'Orion is ours. Released in May.', 'Plans'),
      chunk('b', 'Released in June.', 'Orion'),
      chunk('c', 'Released in July.', 'Vega'),
    );
    const [before = 0, title = 0, nowhere = 0] = ['May', 'June', 'July'].map((month) =>
      scores.get(`Released in ${month}.`),
    );
    expect(before).toBeGreaterThan(title);
    expect(title).toBeGreaterThan(nowhere);
    expect(before).toBeLessThan(1);
  });

  it('weighs a rare word more than a frequent one', () => {
    const scores = scoresOf(
      'backup retention',
      chunk('a', 'Check each backup.'),
      chunk('b', 'Copy the backup.'),
      chunk('c', 'Retention differs.'),
    );
    expect(scores.get('Retention differs.')).toBeGreaterThan(scores.get('Copy the backup.') ?? 1);
    expect(scores.get('Copy the backup.')).toBeGreaterThan(0);
  });

  it('leaves out headings and the cut-off end of a chunk', () => {
    const scores = scoresOf('limit', chunk('a', '# The limit\nThe limit is 5. The limit is not', 'Notes', true));
    expect([...scores.keys()]).toEqual(['The limit is 5.']);
  });
});

describe('shortlistSentences', () => {
  it('takes most by words and the rest from the best-ranked chunks', () => {
    const chunks = Array.from({ length: 20 }, (_, index) =>
      chunk(`c${index}`, index < 10 ? `Text ${index} here.` : `A limit ${index}.`),
    );
    const shortlist = shortlistSentences(scoreSentences('limit', chunks), 8).map(({ sentence }) => sentence.text);
    expect(shortlist).toHaveLength(8);
    expect(shortlist.filter((text) => text.startsWith('A limit'))).toHaveLength(6);
    expect(shortlist).toEqual(expect.arrayContaining(['Text 0 here.', 'Text 1 here.']));
  });
});
