import { endianness } from 'node:os';
import type { Transaction } from '../database.js';

export type LibraryItemType = 'prompt' | 'collection';

/** A prompt's or collection's text whose vector is missing. */
export interface UnembeddedText {
  itemType: LibraryItemType;
  tenantId: string;
  id: string;
  /** Of the text: one that has changed meanwhile takes no vector of the former. */
  revision: number;
  title: string;
  description: string;
  /** Its beginning. */
  content: string;
}

/** More than any model reads. */
const CONTENT_CHARACTERS = 4_000;

const UNEMBEDDED = `SELECT 'prompt' AS item_type, p.tenant_id, p.id, p.current_version AS revision, p.title, p.description,
    left(v.content, ${CONTENT_CHARACTERS}) AS content, p.updated_at
  FROM prompts p JOIN prompt_versions v ON v.prompt_id = p.id AND v.version = p.current_version
  WHERE p.embedding IS NULL AND NOT p.id = ANY($1::uuid[])
  UNION ALL
  SELECT 'collection', c.tenant_id, c.id, c.text_revision, c.name, coalesce(c.description, ''), '', c.updated_at
  FROM collections c WHERE c.embedding IS NULL AND NOT c.id = ANY($1::uuid[])`;

/** The oldest of each tenant first, in turn: one that brings thousands keeps nobody waiting. */
export async function findUnembedded(
  transaction: Transaction,
  limit: number,
  exceptIds: readonly string[] = [],
): Promise<UnembeddedText[]> {
  return transaction.query(
    `SELECT u.item_type AS "itemType", u.tenant_id AS "tenantId", u.id, u.revision, u.title, u.description, u.content
     FROM (SELECT x.*, row_number() OVER (PARTITION BY x.tenant_id ORDER BY x.updated_at, x.id) AS turn
       FROM (${UNEMBEDDED}) x) u
     ORDER BY u.turn, u.updated_at, u.id LIMIT $2`,
    [exceptIds, limit],
  );
}

/** @param profile names the model and the way in which texts are made for it: only vectors of one profile compare. */
export async function saveEmbedding(
  transaction: Transaction,
  { itemType, tenantId, id, revision }: Pick<UnembeddedText, 'itemType' | 'tenantId' | 'id' | 'revision'>,
  vector: Float32Array,
  profile: string,
): Promise<void> {
  const [table, column] = itemType === 'prompt' ? ['prompts', 'current_version'] : ['collections', 'text_revision'];
  await transaction.query(
    `UPDATE ${table} SET embedding = $4, embedding_profile = $5 WHERE tenant_id = $1 AND id = $2 AND ${column} = $3`,
    [tenantId, id, revision, toBytes(vector), profile],
  );
}

/** What another model has made is made again; how many. */
export async function forgetOtherEmbeddings(transaction: Transaction, profile: string): Promise<number> {
  let forgotten = 0;
  for (const table of ['prompts', 'collections']) {
    const [, changed]: [unknown[], number] = await transaction.query(
      `UPDATE ${table} SET embedding = NULL, embedding_profile = NULL WHERE embedding_profile <> $1`,
      [profile],
    );
    forgotten += changed;
  }
  return forgotten;
}

const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** 32-bit floats, little-endian. */
function toBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return IS_LITTLE_ENDIAN ? bytes : bytes.swap32();
}

export function fromBytes(bytes: Buffer): Float32Array {
  // A copy: what the driver gives is not aligned to floats.
  const { buffer } = new Uint8Array(bytes);
  if (!IS_LITTLE_ENDIAN) Buffer.from(buffer).swap32();
  return new Float32Array(buffer);
}
