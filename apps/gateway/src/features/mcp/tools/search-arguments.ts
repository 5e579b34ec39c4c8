/** What the arguments of search and context mean, said to the model. */
export const SEARCH_ARGUMENT_DESCRIPTIONS = {
  query: 'What to look for, in plain words. 1 to 2,000 characters.',
  limit: 'Most hits, 1 to 25. One hit for each source item.',
  providers: 'Only these providers. Never more than the key may read.',
  collectionId: 'Only items of this collection.',
  sourceItemId: 'Only this item.',
  updatedAfter: 'Only items that changed at their source after this instant (ISO 8601 with a time zone).',
  updatedBefore: 'Only items that changed at their source before this instant.',
  knownAsOf: 'What was known at this instant: versions recorded by then and not yet superseded.',
  ranking: '`similarity`: by score. `fused`: by meaning and words together.',
};
