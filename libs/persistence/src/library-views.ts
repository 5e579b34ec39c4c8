import type { Database } from './database.js';
import { findLibraryItems, findLiteralDocuments, type LiteralQuery } from './literal-search.js';
import { fromBytes, type LibraryItemType } from './repositories/library-embedding.repository.js';
import { BEFORE_ALL_IDS } from './page-cursor.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from './visibility.js';

export interface LibraryVector {
  id: string;
  vector: Float32Array;
}

/** Where a text was found, as it is written in one of an item's fields. */
export interface LiteralMatch {
  id: string;
  field: 'title' | 'description' | 'body';
  /** The text around the match; null for a title, which is shown anyway. */
  window: string | null;
  /** Whether the field has more before or after the window. */
  startsCut: boolean;
  endsCut: boolean;
  /** Of the innermost chunk that holds the beginning of the match; documents' bodies only. */
  chunkId: string | null;
}

export interface LibraryHead {
  id: string;
  title: string;
  description: string | null;
}

export interface Membership {
  collectionId: string;
  itemId: string;
  itemType: 'prompt' | 'document';
}

/** Rows a statement: what is compared at once in memory. */
const VECTORS_PAGE = 1_000;
/** Of one statement of a search through texts: far more than a batch takes; it knows nothing of its caller's going away. */
const LITERAL_TIMEOUT_MS = 10_000;

/** What find_items reads of prompts, documents and collections, for retrieval. Nothing here writes. */
export class LibraryViews {
  constructor(private readonly database: Database) {}

  /** Every vector of the profile, in pages. */
  async *vectors(
    tenantId: string,
    itemType: LibraryItemType,
    { profile, tags }: { profile: string; tags: readonly string[] },
  ): AsyncGenerator<LibraryVector[]> {
    const table = itemType === 'prompt' ? 'prompts' : 'collections';
    let after: string = BEFORE_ALL_IDS;
    for (;;) {
      const rows: { id: string; embedding: Buffer }[] = await this.query(
        `SELECT t.id, t.embedding FROM ${table} t
         WHERE t.tenant_id = $1 AND t.id > $2 AND t.embedding_profile = $3 AND t.tags @> $4
         ORDER BY t.id LIMIT ${VECTORS_PAGE}`,
        [tenantId, after, profile, tags],
      );
      yield rows.map(({ id, embedding }) => ({ id, vector: fromBytes(embedding) }));
      const last = rows.at(-1);
      if (rows.length < VECTORS_PAGE || !last) return;
      after = last.id;
    }
  }

  /**
   * Best first: titles, then descriptions, then bodies, newest changes first.
   * @throws AppError REQUEST.CANCELLED once the signal has fired; so do the other two.
   */
  findPrompts(tenantId: string, query: LiteralQuery): Promise<LiteralMatch[]> {
    return findLibraryItems(this.scan, 'prompt', tenantId, query);
  }

  findCollections(tenantId: string, query: LiteralQuery): Promise<LiteralMatch[]> {
    return findLibraryItems(this.scan, 'collection', tenantId, query);
  }

  /** In the searchable text of what the viewer may see. */
  findDocuments(viewer: Visibility, query: LiteralQuery): Promise<LiteralMatch[]> {
    return findLiteralDocuments(this.scan, viewer, query);
  }

  /** Only those that there are, and have all of the tags. */
  async heads(
    tenantId: string,
    itemType: LibraryItemType,
    ids: readonly string[],
    tags: readonly string[] = [],
  ): Promise<Map<string, LibraryHead>> {
    const [table, title] = itemType === 'prompt' ? ['prompts', 'title'] : ['collections', 'name'];
    const rows: LibraryHead[] = await this.query(
      `SELECT t.id, t.${title} AS title, t.description FROM ${table} t
       WHERE t.tenant_id = $1 AND t.id = ANY($2::uuid[]) AND t.tags @> $3`,
      [tenantId, ids, tags],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Titles of documents that the viewer may see. */
  async documentTitles(viewer: Visibility, ids: readonly string[]): Promise<Map<string, string>> {
    const rows: { id: string; title: string }[] = await this.query(
      `SELECT i.id, i.title FROM source_items i WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[])`,
      [...visibilityParameters(viewer), ids],
    );
    return new Map(rows.map((row) => [row.id, row.title]));
  }

  /** Which collections the items are in. */
  memberships(tenantId: string, itemType: Membership['itemType'], itemIds: readonly string[]): Promise<Membership[]> {
    return this.query(
      `SELECT m.collection_id AS "collectionId", m.item_id AS "itemId", m.item_type AS "itemType" FROM collection_items m
       WHERE m.tenant_id = $1 AND m.item_type = $2 AND m.item_id = ANY($3::uuid[])`,
      [tenantId, itemType, itemIds],
    );
  }

  private readonly scan = <Row>(sql: string, parameters: unknown[]): Promise<Row[]> =>
    this.database.transaction(async (transaction) => {
      await transaction.query(`SET LOCAL statement_timeout = ${LITERAL_TIMEOUT_MS}`);
      return transaction.query<Row[]>(sql, parameters);
    });

  private query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    return this.database.read((manager) => manager.query(sql, parameters));
  }
}
