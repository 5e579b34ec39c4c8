/** One thing that was found. */
export interface LibraryMatch {
  id: string;
  title: string;
  description: string | null;
  /** As the public contract says it, rounded. */
  score: number;
  highlight?: string;
  chunkId?: string;
}

export interface LibraryQuery {
  text: string;
  /** All of them; [] = whatever. */
  tags: readonly string[];
  limit: number;
}

/** One way of finding. Each gives the best first, within what the caller may see. */
export interface LibraryFinder {
  findPrompts(query: LibraryQuery): Promise<LibraryMatch[]>;
  findDocuments(query: LibraryQuery): Promise<LibraryMatch[]>;
  findCollections(query: LibraryQuery): Promise<LibraryMatch[]>;
}
