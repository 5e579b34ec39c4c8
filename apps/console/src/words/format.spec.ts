import { formatAgo, formatCount, formatDateTime, formatDuration, formatMilliseconds } from './format.js';

const NOW = Date.parse('2026-05-01T12:00:00Z');

describe('how values are said', () => {
  it.each([
    [0, '0 s'],
    [40, '40 s'],
    [125, '2 min 5 s'],
    [3_600, '1 h'],
    [7_500, '2 h 5 min'],
    [90_061, '1 d 1 h'],
    [-3, '0 s'],
  ])('a duration of %d seconds', (seconds, said) => expect(formatDuration(seconds)).toBe(said));

  it.each([
    ['2026-05-01T11:57:00Z', '3 min ago'],
    ['2026-05-01T10:10:00Z', '1 h ago'],
    ['2026-05-01T12:03:00Z', 'in 3 min'],
    ['2026-05-01T11:59:55Z', 'just now'],
  ])('%s is %s', (iso, said) => expect(formatAgo(iso, NOW)).toBe(said));

  it('counts in the singular and the plural, with separated thousands', () => {
    expect(formatCount(1, 'item')).toBe('1 item');
    expect(formatCount(12_000, 'entry', 'entries')).toBe('12,000 entries');
  });

  it('says never where there is no time', () => expect(formatDateTime(null)).toBe('never'));

  it('says milliseconds up to a second', () => {
    expect(formatMilliseconds(48.2)).toBe('48 ms');
    expect(formatMilliseconds(1_204)).toBe('1.2 s');
  });
});
