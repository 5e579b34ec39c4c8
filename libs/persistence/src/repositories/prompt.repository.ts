import { isDeepStrictEqual } from 'node:util';
import { v4 as randomUuid } from 'uuid';
import type { CreatePromptBody, PromptVariable, UpdatePromptBody } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { decodeVersionCursor, pageOfVersions } from '../version-page.js';
import { escapeLike } from './collection.repository.js';

/** What a version of a prompt says; tags are filing and no part of it. */
interface PromptText {
  title: string;
  description: string;
  content: string;
  engine: string | null;
  parameters: Record<string, unknown>;
  /** The declared ones. */
  variables: PromptVariable[];
}

export interface PromptSummaryRow {
  id: string;
  title: string;
  description: string;
  tags: string[];
  currentVersion: number;
  createdAt: Date;
}

export interface PromptRow extends PromptText {
  id: string;
  tags: string[];
  currentVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface VersionRow {
  id: string;
  version: number;
  title: string;
  userName: string | null;
  changeLog: string | null;
  content: string | null;
  createdAt: Date;
}

/** Who makes a version; the name as it is now, since keys are renamed and revoked. */
export interface VersionAuthor {
  apiKeyId: string;
  name: string;
}

/** Newest first. */
export async function listPrompts(
  transaction: Transaction,
  tenantId: string,
  filter: {
    search?: string | undefined;
    tags?: readonly string[] | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<Page<PromptSummaryRow>> {
  const after = decodeCursor(filter.cursor);
  const rows: PromptSummaryRow[] = await transaction.query(
    `SELECT p.id, p.title, p.description, p.tags, p.current_version AS "currentVersion", p.created_at AS "createdAt"
     FROM prompts p
     WHERE p.tenant_id = $1
       AND ($2::text IS NULL OR p.title ILIKE $2 OR p.description ILIKE $2)
       AND ($3::text[] IS NULL OR p.tags @> $3)
       AND ($4::timestamptz IS NULL OR (p.created_at, p.id) < ($4, $5::uuid))
     ORDER BY p.created_at DESC, p.id DESC LIMIT $6`,
    [
      tenantId,
      filter.search ? `%${escapeLike(filter.search)}%` : null,
      filter.tags && filter.tags.length > 0 ? filter.tags : null,
      after?.at ?? null,
      after?.id ?? null,
      filter.limit + 1,
    ],
  );
  return pageOfRows(rows, filter.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.id }));
}

const PROMPT = `SELECT p.id, p.tags, p.current_version AS "currentVersion", p.created_at AS "createdAt",
    p.updated_at AS "updatedAt", v.title, v.description, v.content, v.engine, v.parameters, v.variables
  FROM prompts p JOIN prompt_versions v ON v.prompt_id = p.id AND v.version = p.current_version
  WHERE p.tenant_id = $1 AND p.id = $2`;

export async function findPrompt(transaction: Transaction, tenantId: string, id: string): Promise<PromptRow | null> {
  const rows: PromptRow[] = await transaction.query(PROMPT, [tenantId, id]);
  return rows[0] ?? null;
}

export async function insertPrompt(
  transaction: Transaction,
  tenantId: string,
  author: VersionAuthor,
  { tags = [], ...text }: CreatePromptBody,
): Promise<PromptRow> {
  const id = randomUuid();
  const first: PromptText = {
    title: text.title,
    description: text.description ?? '',
    content: text.content,
    engine: text.engine ?? null,
    parameters: text.parameters ?? {},
    variables: text.variables ?? [],
  };
  await transaction.query(
    `INSERT INTO prompts (tenant_id, id, title, description, tags, current_version) VALUES ($1, $2, $3, $4, $5, 1)`,
    [tenantId, id, first.title, first.description, tags],
  );
  await insertVersion(transaction, { tenantId, promptId: id, version: 1, author, changeLog: null }, first);
  return requireRow(await findPrompt(transaction, tenantId, id));
}

/**
 * Null when there is none. Other text makes a new version; the change log goes with it, or is added to that of the
 * newest one where the text is the same.
 */
export async function updatePrompt(
  transaction: Transaction,
  tenantId: string,
  id: string,
  author: VersionAuthor,
  { tags, changeLog, ...change }: UpdatePromptBody,
): Promise<PromptRow | null> {
  const current = await lockPrompt(transaction, tenantId, id);
  if (!current) return null;
  const given = Object.entries<unknown>(change).filter(([, value]) => value !== undefined);
  const text = { ...textOf(current), ...(Object.fromEntries(given) as Partial<PromptText>) };
  const isNewText = await saveText(
    transaction,
    { tenantId, prompt: current, author, changeLog: changeLog ?? null },
    text,
  );
  if (!isNewText && changeLog !== undefined)
    await transaction.query(
      `UPDATE prompt_versions SET change_log = right(concat_ws(E'\\n', change_log, $4::text), ${CHANGE_LOG_CHARACTERS})
       WHERE tenant_id = $1 AND prompt_id = $2 AND version = $3`,
      [tenantId, id, current.currentVersion, changeLog],
    );
  if (tags !== undefined)
    await transaction.query('UPDATE prompts SET tags = $3, updated_at = now() WHERE tenant_id = $1 AND id = $2', [
      tenantId,
      id,
      tags,
    ]);
  return requireRow(await findPrompt(transaction, tenantId, id));
}

/** What was added to one version's change log at most; the newest words stay. */
export const CHANGE_LOG_CHARACTERS = 10_000;

/** With its versions and out of its collections; false when there is none. */
export async function deletePrompt(transaction: Transaction, tenantId: string, id: string): Promise<boolean> {
  const [, deleted]: [unknown[], number] = await transaction.query(
    'DELETE FROM prompts WHERE tenant_id = $1 AND id = $2',
    [tenantId, id],
  );
  if (deleted === 0) return false;
  await transaction.query(
    `DELETE FROM collection_items WHERE tenant_id = $1 AND item_type = 'prompt' AND item_id = $2`,
    [tenantId, id],
  );
  return true;
}

/** Newest first; empty also when there is no such prompt. */
export async function listPromptVersions(
  transaction: Transaction,
  tenantId: string,
  id: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<VersionRow>> {
  const rows: (VersionRow & { content: string })[] = await transaction.query(
    `SELECT v.id, v.version, v.title, v.user_name AS "userName", v.change_log AS "changeLog", v.content,
       v.created_at AS "createdAt"
     FROM prompt_versions v
     WHERE v.tenant_id = $1 AND v.prompt_id = $2 AND ($3::integer IS NULL OR v.version < $3)
     ORDER BY v.version DESC LIMIT $4`,
    [tenantId, id, decodeVersionCursor(filter.cursor), filter.limit + 1],
  );
  return pageOfVersions(rows, filter.limit, (row) => row.content.length);
}

export type PromptRestore = { kind: 'restored'; prompt: PromptRow } | { kind: 'no_prompt' } | { kind: 'no_version' };

/** As a new version, unless that is what the prompt says already. */
export async function restorePrompt(
  transaction: Transaction,
  tenantId: string,
  id: string,
  versionId: string,
  author: VersionAuthor,
): Promise<PromptRestore> {
  const current = await lockPrompt(transaction, tenantId, id);
  if (!current) return { kind: 'no_prompt' };
  const rows: (PromptText & { version: number })[] = await transaction.query(
    `SELECT version, title, description, content, engine, parameters, variables FROM prompt_versions
     WHERE tenant_id = $1 AND prompt_id = $2 AND id = $3`,
    [tenantId, id, versionId],
  );
  const [chosen] = rows;
  if (!chosen) return { kind: 'no_version' };
  const { version, ...text } = chosen;
  const changeLog = `Restored version ${version}`;
  await saveText(transaction, { tenantId, prompt: current, author, changeLog }, text);
  return { kind: 'restored', prompt: requireRow(await findPrompt(transaction, tenantId, id)) };
}

/** Which of the ids are prompts of the tenant. */
export async function filterPrompts(
  transaction: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    'SELECT id FROM prompts WHERE tenant_id = $1 AND id = ANY($2::uuid[])',
    [tenantId, ids],
  );
  return new Set(rows.map((row) => row.id));
}

/** Reads after the wait: a join that waits itself would pair the new row with the version of before, and find nothing. */
async function lockPrompt(transaction: Transaction, tenantId: string, id: string): Promise<PromptRow | null> {
  await transaction.query('SELECT 1 FROM prompts WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  return findPrompt(transaction, tenantId, id);
}

function textOf({ title, description, content, engine, parameters, variables }: PromptRow): PromptText {
  return { title, description, content, engine, parameters, variables };
}

interface NewText {
  tenantId: string;
  prompt: PromptRow;
  author: VersionAuthor;
  changeLog: string | null;
}

/** Whether the text is another one. What found the prompt by its former meaning is dropped with it. */
async function saveText(
  transaction: Transaction,
  { tenantId, prompt, author, changeLog }: NewText,
  text: PromptText,
): Promise<boolean> {
  if (isDeepStrictEqual(text, textOf(prompt))) return false;
  const version = prompt.currentVersion + 1;
  await insertVersion(transaction, { tenantId, promptId: prompt.id, version, author, changeLog }, text);
  await transaction.query(
    `UPDATE prompts SET title = $3, description = $4, current_version = $5, embedding = NULL, embedding_profile = NULL,
       updated_at = now() WHERE tenant_id = $1 AND id = $2`,
    [tenantId, prompt.id, text.title, text.description, version],
  );
  return true;
}

async function insertVersion(
  transaction: Transaction,
  head: { tenantId: string; promptId: string; version: number; author: VersionAuthor; changeLog: string | null },
  text: PromptText,
): Promise<void> {
  await transaction.query(
    `INSERT INTO prompt_versions (tenant_id, id, prompt_id, version, title, description, content, engine, parameters,
       variables, change_log, api_key_id, user_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, $12, $13)`,
    [
      head.tenantId,
      randomUuid(),
      head.promptId,
      head.version,
      text.title,
      text.description,
      text.content,
      text.engine,
      JSON.stringify(text.parameters),
      JSON.stringify(text.variables),
      head.changeLog,
      head.author.apiKeyId,
      head.author.name,
    ],
  );
}

function requireRow(row: PromptRow | null): PromptRow {
  if (!row) throw new Error('the prompt is gone within its own transaction');
  return row;
}
