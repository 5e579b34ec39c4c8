import { isStopWord } from '../relevance/tokenize-words.js';
import type { ExpansionProvider } from '../run/reasoning-ports.js';
import { LONGEST_QUERY, MOST_QUERIES, type ExpansionInput, type ExpansionQueries } from './expansion.js';

/**
 * Other ways to ask for what is missing, by rules: the query's content words with each missing slot's first term; its content
 * words alone; the best item's title with them. At most three, none of them the query itself.
 */
export function expandByRules({ query, gap, items }: ExpansionInput): ExpansionQueries {
  const keywords = query
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && !isStopWord(word.toLowerCase()))
    .join(' ');
  const title = items[0]?.documentTitle ?? '';
  const candidates = [
    ...gap.missingSlots.map((slot) => `${keywords} ${slot.terms[0] ?? slot.name}`),
    keywords,
    title === '' ? '' : `${title} ${keywords}`,
  ].map((candidate) => candidate.trim().slice(0, LONGEST_QUERY).trim());
  const asked = query.trim().toLowerCase();
  const queries = [...new Set(candidates)].filter((candidate) => candidate !== '' && candidate.toLowerCase() !== asked);
  return { queries: queries.slice(0, MOST_QUERIES) };
}

/** `expandByRules` behind the port; it calls no model. */
export function createRuleBasedExpansionProvider(): ExpansionProvider {
  return { modelCalls: 0, expand: async (input) => expandByRules(input) };
}
