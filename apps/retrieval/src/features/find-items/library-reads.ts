import type { LibraryViews } from '@candor/persistence/views';

/** The truth about prompts, collections and texts, as find_items reads it. */
export type LibraryReads = Pick<
  LibraryViews,
  'documentTitles' | 'findCollections' | 'findDocuments' | 'findPrompts' | 'heads' | 'memberships' | 'vectors'
>;
