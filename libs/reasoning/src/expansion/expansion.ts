import { z } from 'zod';

/** Bounds of retrieval expansion (seed 001). */
export const MOST_QUERIES = 3;
export const LONGEST_QUERY = 2000;
export const MOST_INPUT_ITEMS = 5;
export const MOST_INPUT_CHARACTERS = 12_000;

/** What an expansion provider may give: queries, untrusted. */
export const expansionQueriesSchema = z.strictObject({
  queries: z.array(z.string().trim().min(1).max(LONGEST_QUERY)),
});
export type ExpansionQueries = z.infer<typeof expansionQueriesSchema>;

/** One search to make: the same query deeper, or a generated one. It is no evidence. */
export interface RetrievalProposal {
  kind: 'depth' | 'query';
  query: string;
  /** Most hits. */
  limit: number;
}

/** What is missing, and what is there: at most 5 items and 12,000 characters before serialization. */
export interface ExpansionInput {
  query: string;
  gap: { reason: string; missingSlots: { name: string; terms: string[] }[] };
  items: { chunkId: string; documentTitle: string; text: string }[];
}
