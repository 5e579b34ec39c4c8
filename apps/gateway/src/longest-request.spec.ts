import { gatewayConfigSchema } from './config.js';
import { longestRequestMs } from './longest-request.js';

describe('longestRequestMs', () => {
  const { SEARCH_DEADLINE_MS, REASON_DEADLINE_MS } = gatewayConfigSchema.shape;
  const [search, reason] = [SEARCH_DEADLINE_MS.parse(undefined), REASON_DEADLINE_MS.parse(undefined)];

  it.each([
    ['a question, where nothing is set', search, reason, reason + 5_000],
    ['a search that may take longer', 90_000, 10_000, 95_000],
    ['what has no deadline, where both are short', 500, 500, 25_000],
  ])('is the time of %s', (_, SEARCH_DEADLINE_MS, REASON_DEADLINE_MS, longest) => {
    expect(longestRequestMs({ SEARCH_DEADLINE_MS, REASON_DEADLINE_MS })).toBe(longest);
  });
});
