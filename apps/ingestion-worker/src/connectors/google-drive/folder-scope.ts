import type { DriveClient } from './drive-client.js';
import { FOLDER, SHORTCUT, type DriveFile } from './drive-file.js';

/** Google bounds the length of a query. */
const FOLDERS_A_QUERY = 25;
const LIVE = 'trashed = false';

/** Which files are asked for: everything, or what lies below some folders. */
export interface FolderScope {
  /** Listed one after the other. */
  queries: string[];
  includes(file: DriveFile): boolean;
  /** Files that shortcuts in the folders lead to, wherever they lie; read once. */
  readTargetIds(): Promise<ReadonlySet<string>>;
}

const EVERYTHING: FolderScope = {
  queries: [LIVE],
  includes: () => true,
  readTargetIds: () => Promise.resolve(new Set()),
};

export async function readFolderScope(
  client: Pick<DriveClient, 'listFiles'>,
  folderIds: readonly string[] | undefined,
): Promise<FolderScope> {
  if (folderIds === undefined) return EVERYTHING;
  const known = new Set(folderIds);
  let level = [...known];
  while (level.length > 0) {
    const next: string[] = [];
    for (const query of queriesFor(level, `${LIVE} and mimeType = '${FOLDER}'`)) {
      for (const folder of await listAll(client, query)) {
        if (!known.has(folder.id)) next.push(folder.id);
        known.add(folder.id);
      }
    }
    level = next;
  }
  let targetIds: Promise<ReadonlySet<string>> | undefined;
  return {
    queries: queriesFor([...known], LIVE),
    includes: (file) => file.parents?.some((parent) => known.has(parent)) ?? false,
    readTargetIds: () => (targetIds ??= readTargetIds(client, [...known])),
  };
}

async function readTargetIds(
  client: Pick<DriveClient, 'listFiles'>,
  folderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const targetIds = new Set<string>();
  for (const query of queriesFor(folderIds, `${LIVE} and mimeType = '${SHORTCUT}'`)) {
    for (const { shortcutDetails } of await listAll(client, query)) {
      if (shortcutDetails?.targetId) targetIds.add(shortcutDetails.targetId);
    }
  }
  return targetIds;
}

async function listAll(client: Pick<DriveClient, 'listFiles'>, query: string): Promise<DriveFile[]> {
  const files: DriveFile[] = [];
  let pageToken: string | null = null;
  do {
    const page = await client.listFiles(query, pageToken, 200);
    files.push(...page.files);
    pageToken = page.nextPageToken;
  } while (pageToken !== null);
  return files;
}

function queriesFor(folderIds: readonly string[], condition: string): string[] {
  const queries: string[] = [];
  for (let start = 0; start < folderIds.length; start += FOLDERS_A_QUERY) {
    const group = folderIds.slice(start, start + FOLDERS_A_QUERY);
    const parents = group.map((id) => `'${id.replaceAll(/['\\]/g, String.raw`\$&`)}' in parents`);
    queries.push(`${condition} and (${parents.join(' or ')})`);
  }
  return queries;
}
