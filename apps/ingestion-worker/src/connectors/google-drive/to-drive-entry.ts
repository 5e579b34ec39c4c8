import { AppError } from '@candor/contracts';
import { isUnreadable, toItemFailure, unreadable } from '../item-errors.js';
import type { OutageGuard } from '../outage-guard.js';
import type { ConnectorItem, ItemFailure } from '../source-connector.port.js';
import { chooseContent, markContent, type DriveContent } from './choose-content.js';
import type { DriveClient } from './drive-client.js';
import { FOLDER, SHORTCUT, type DriveFile } from './drive-file.js';
import { loadContent } from './load-content.js';
import { mapDrivePolicy } from './map-drive-policy.js';

/** What a file comes to. */
export type DriveEntry =
  { kind: 'item'; item: ConnectorItem } | { kind: 'failure'; failure: ItemFailure } | { kind: 'deleted'; id: string };

export interface DriveContext {
  client: DriveClient;
  /** For downloads, with their own limit and the caller's signal. */
  openClient: (signal: AbortSignal) => DriveClient;
  now: () => number;
  guard: OutageGuard;
}

/** Null for folders, which hold no text. */
export async function toDriveEntry(found: DriveFile, context: DriveContext): Promise<DriveEntry | null> {
  if (found.trashed === true) return { kind: 'deleted', id: found.id };
  if (found.mimeType === FOLDER) return null;
  try {
    const file = found.mimeType === SHORTCUT ? await readTarget(found, context) : found;
    return file === null ? null : { kind: 'item', item: await toItem(file, context) };
  } catch (error) {
    return { kind: 'failure', failure: context.guard.toItemFailure(found.id, found.name, error) };
  }
}

function readTarget(shortcut: DriveFile, { client, guard }: DriveContext): Promise<DriveFile | null> {
  return followShortcut(shortcut, { getFile: (id) => guard.ask('files.get', () => client.getFile(id)) });
}

/** The file that a shortcut stands for; null for folders, whose files are found by themselves. */
export async function followShortcut(
  shortcut: DriveFile,
  client: Pick<DriveClient, 'getFile'>,
): Promise<DriveFile | null> {
  const { targetId, targetMimeType } = shortcut.shortcutDetails ?? {};
  if (targetMimeType === FOLDER) return null;
  if (!targetId) throw unreadable('The shortcut has no target.', 'noTarget');
  let target: DriveFile;
  try {
    target = await client.getFile(targetId);
  } catch (error) {
    if (!isUnreadable(error) || isUnreadable(error, ['malformed'])) throw error;
    throw unreadable('The target of the shortcut is gone or not shared with this account.', 'targetUnreadable', error);
  }
  if (target.trashed === true) throw unreadable('The target of the shortcut is in the trash.', 'targetTrashed');
  return target.mimeType === FOLDER ? null : target;
}

async function toItem(file: DriveFile, context: DriveContext): Promise<ConnectorItem> {
  const permissions = await readPermissions(file, context);
  const isGivenUp = permissions instanceof AppError;
  const content = isGivenUp ? permissions : judgeContent(file);
  const policy = mapDrivePolicy(file, isGivenUp ? null : permissions, context.now());
  const owner = file.owners?.[0] ?? file.lastModifyingUser;
  return {
    sourceKind: 'file',
    externalId: file.id,
    title: file.name.trim().slice(0, 1000) || 'Untitled',
    url: file.webViewLink && /^https?:/.test(file.webViewLink) ? file.webViewLink : null,
    authorName: owner?.displayName ?? owner?.emailAddress ?? null,
    sourceCreatedAt: toInstant(file.createdTime),
    sourceUpdatedAt: toInstant(file.modifiedTime),
    accessPolicy: policy,
    // Without a mark it is asked for each time, so that the refusal is counted and doesn't hide behind text of old.
    contentRevision: content instanceof AppError ? null : markContent(file),
    metadata: {
      mimeType: file.mimeType,
      parents: file.parents ?? [],
      ...(file.driveId ? { driveId: file.driveId } : {}),
      ...(file.lastModifyingUser?.displayName ? { lastModifiedBy: file.lastModifyingUser.displayName } : {}),
    },
    load: async (signal) => {
      if (content instanceof AppError) throw content;
      return loadContent(context.openClient(signal), file, content);
    },
  };
}

/** The error concerns the text alone: who may see a file that isn't read any more still has to be known. */
function judgeContent(file: DriveFile): DriveContent | AppError {
  try {
    return chooseContent(file);
  } catch (error) {
    return toItemFailure(file.id, file.name, error).error;
  }
}

/**
 * Null = unreadable; an error = given up on: the file is withheld, and its failure has it read again. Listings carry
 * permissions only for files that this account may share.
 */
async function readPermissions(file: DriveFile, { client, guard }: DriveContext): Promise<unknown[] | AppError | null> {
  if (file.permissions?.length) return file.permissions;
  try {
    return await guard.ask('permissions.list', () => client.listPermissions(file.id));
  } catch (error) {
    return isUnreadable(error) ? null : guard.toItemFailure(file.id, file.name, error).error;
  }
}

function toInstant(time: string | null | undefined): string | null {
  const instant = Date.parse(time ?? '');
  return Number.isNaN(instant) ? null : new Date(instant).toISOString();
}
