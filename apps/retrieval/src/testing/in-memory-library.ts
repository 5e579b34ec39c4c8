import type { LibraryHead, LibraryVector, LiteralMatch, Membership } from '@candor/persistence/views';
import type { LibraryReads } from '../features/find-items/library-reads.js';

type Stored = LibraryHead & { vector: Float32Array | null; tags: string[] };

/** Prompts and collections of one tenant; what is found literally is told beforehand. */
export class InMemoryLibrary implements LibraryReads {
  readonly stored = { prompt: new Map<string, Stored>(), collection: new Map<string, Stored>() };
  readonly literal: Record<'prompts' | 'documents' | 'collections', LiteralMatch[]> = {
    prompts: [],
    documents: [],
    collections: [],
  };
  readonly titles = new Map<string, string>();
  members: Membership[] = [];
  /** Who asked `findDocuments`, for what. */
  readonly asked: Parameters<LibraryReads['findDocuments']>[] = [];
  readonly profiles = new Set<string>();

  add(itemType: 'prompt' | 'collection', item: Partial<Stored> & { id: string }): void {
    this.stored[itemType].set(item.id, { title: item.id, description: null, vector: null, tags: [], ...item });
  }

  async *vectors(...[, itemType, { profile, tags }]: Parameters<LibraryReads['vectors']>) {
    this.profiles.add(profile);
    const found = [...this.stored[itemType].values()].filter((item) => hasAll(item, tags));
    yield found.flatMap(({ id, vector }): LibraryVector[] => (vector ? [{ id, vector }] : []));
  }

  async heads(...[, itemType, ids, tags = []]: Parameters<LibraryReads['heads']>): Promise<Map<string, LibraryHead>> {
    const known = ids.flatMap((id) => this.stored[itemType].get(id) ?? []).filter((item) => hasAll(item, tags));
    return new Map(known.map(({ id, title, description }) => [id, { id, title, description }]));
  }

  async documentTitles(...[, ids]: Parameters<LibraryReads['documentTitles']>): Promise<Map<string, string>> {
    return new Map(ids.flatMap((id) => (this.titles.has(id) ? [[id, this.titles.get(id) ?? ''] as const] : [])));
  }

  async findPrompts(): Promise<LiteralMatch[]> {
    return this.literal.prompts;
  }

  async findCollections(): Promise<LiteralMatch[]> {
    return this.literal.collections;
  }

  async findDocuments(...asked: Parameters<LibraryReads['findDocuments']>): Promise<LiteralMatch[]> {
    this.asked.push(asked);
    return this.literal.documents;
  }

  async memberships(...[, itemType, ids]: Parameters<LibraryReads['memberships']>): Promise<Membership[]> {
    return this.members.filter((member) => member.itemType === itemType && ids.includes(member.itemId));
  }
}

function hasAll(item: Stored, tags: readonly string[]): boolean {
  return tags.every((tag) => item.tags.includes(tag));
}
