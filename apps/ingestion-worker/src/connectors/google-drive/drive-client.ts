import { AppError, type GoogleDriveSettings } from '@candor/contracts';
import type { OAuth2Client } from 'googleapis-common';
import { drive as openDrive, type drive_v3 } from '@googleapis/drive';
import { z } from 'zod';
import { askGoogle, parseAnswer, parseItem, undocumented } from '../google/read-google-answer.js';
import { isUnreadable } from '../item-errors.js';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';
import { driveFileSchema, FILE_FIELDS, type DriveChange, type DriveFile } from './drive-file.js';

const SERVICE = 'Google';

export const DRIVE_SCOPES = ['https://www.googleapis.com/auth/drive.readonly'];

export interface DriveFilePage {
  files: DriveFile[];
  /** Ids of entries that aren't files as Google documents them. */
  malformed: string[];
  nextPageToken: string | null;
}

/** The few endpoints that are read, for one call or slice. Errors: those of the port, and `CONNECTOR.ITEM_UNREADABLE`. */
export class DriveClient {
  private readonly api: drive_v3.Drive;
  private readonly allDrives: boolean;

  constructor(auth: OAuth2Client, fetch: OutboundFetch, settings: GoogleDriveSettings) {
    this.allDrives = settings.includeSharedDrives ?? true;
    this.api = openDrive({
      version: 'v3',
      auth,
      retry: false,
      fetchImplementation: fetch as unknown as typeof globalThis.fetch,
      ...(settings.baseUrl === undefined ? {} : { rootUrl: settings.baseUrl }),
    });
  }

  async getAccount(): Promise<string> {
    const { user } = await askGoogle(SERVICE, () => this.api.about.get({ fields: 'user' }));
    return user?.emailAddress ?? user?.displayName ?? 'an unnamed account';
  }

  /** Null when the server has no changes feed: then every run lists everything. */
  async getStartPageToken(): Promise<string | null> {
    try {
      const answer = await askGoogle(SERVICE, () =>
        this.api.changes.getStartPageToken({ supportsAllDrives: this.allDrives }),
      );
      return answer.startPageToken ?? null;
    } catch (error) {
      if (isUnreadable(error, ['notFound'])) return null;
      throw error;
    }
  }

  /** CONNECTOR.UNAVAILABLE also when Google couldn't search all shared drives: what is missing then may still exist. */
  async listFiles(query: string, pageToken: string | null, pageSize: number): Promise<DriveFilePage> {
    const page = await askGoogle(SERVICE, () =>
      this.api.files.list({
        q: query,
        pageSize,
        spaces: 'drive',
        corpora: this.allDrives ? 'allDrives' : 'user',
        supportsAllDrives: this.allDrives,
        includeItemsFromAllDrives: this.allDrives,
        fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
        ...(pageToken === null ? {} : { pageToken }),
      }),
    );
    if (page.incompleteSearch === true) {
      throw new AppError('CONNECTOR.UNAVAILABLE', { message: 'Google could not search all shared drives.' });
    }
    const entries = readList(page.files);
    return {
      files: entries.flatMap((entry) => driveFileSchema.safeParse(entry).data ?? []),
      malformed: entries.filter((entry) => !driveFileSchema.safeParse(entry).success).map(readId),
      nextPageToken: page.nextPageToken ?? null,
    };
  }

  async listChanges(
    pageToken: string,
    pageSize: number,
  ): Promise<{ changes: DriveChange[]; nextPageToken: string | null; newStartPageToken: string | null }> {
    const page = await askGoogle(SERVICE, () =>
      this.api.changes.list({
        pageToken,
        pageSize,
        spaces: 'drive',
        supportsAllDrives: this.allDrives,
        includeItemsFromAllDrives: this.allDrives,
        includeRemoved: true,
        fields: `nextPageToken,newStartPageToken,changes(changeType,removed,fileId,driveId,file(${FILE_FIELDS}))`,
      }),
    );
    return {
      changes: readList(page.changes).map(readChange),
      nextPageToken: page.nextPageToken ?? null,
      newStartPageToken: page.newStartPageToken ?? null,
    };
  }

  async getFile(fileId: string): Promise<DriveFile> {
    const file = await askGoogle(SERVICE, () =>
      this.api.files.get({ fileId, fields: FILE_FIELDS, supportsAllDrives: true }),
    );
    return parseItem(SERVICE, driveFileSchema, file);
  }

  async listPermissions(fileId: string): Promise<unknown[]> {
    const found: unknown[] = [];
    let pageToken: string | undefined;
    do {
      const page: drive_v3.Schema$PermissionList = await askGoogle(SERVICE, () =>
        this.api.permissions.list({
          fileId,
          pageSize: 100,
          supportsAllDrives: true,
          fields: 'nextPageToken,permissions',
          ...(pageToken === undefined ? {} : { pageToken }),
        }),
      );
      found.push(...(parseItem(SERVICE, z.array(z.unknown()).nullish(), page.permissions) ?? []));
      pageToken = page.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    return found;
  }

  async download(fileId: string): Promise<Uint8Array> {
    return readBytes(() =>
      this.api.files.get({ fileId, alt: 'media', supportsAllDrives: true }, { responseType: 'arraybuffer' }),
    );
  }

  async export(fileId: string, mimeType: string): Promise<Uint8Array> {
    return readBytes(() => this.api.files.export({ fileId, mimeType }, { responseType: 'arraybuffer' }));
  }
}

async function readBytes(request: () => Promise<{ data: unknown }>): Promise<Uint8Array> {
  const data = await askGoogle(SERVICE, request);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw undocumented(SERVICE);
}

function readChange(entry: unknown): DriveChange {
  const change = parseAnswer(
    SERVICE,
    z.looseObject({
      changeType: z.string().nullish(),
      removed: z.boolean().nullish(),
      fileId: z.string().nullish(),
      file: z.unknown().optional(),
    }),
    entry,
  );
  const isRemoved = change.removed === true || change.file === undefined || change.file === null;
  return {
    changeType: change.changeType ?? 'file',
    fileId: change.fileId ?? null,
    isRemoved,
    file: isRemoved ? null : (driveFileSchema.safeParse(change.file).data ?? null),
  };
}

function readList(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return parseAnswer(SERVICE, z.array(z.unknown()), value);
}

function readId(entry: unknown): string {
  return z.looseObject({ id: z.string() }).safeParse(entry).data?.id ?? '?';
}
