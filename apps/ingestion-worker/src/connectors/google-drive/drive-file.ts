import { z } from 'zod';

const text = z.string().nullish();
/** Entries that are null or without a type are kept, to be counted as unreadable. */
export const drivePermissionSchema = z.looseObject({
  id: text,
  type: text,
  role: text,
  emailAddress: text,
  domain: text,
  deleted: z.boolean().nullish(),
  view: text,
  expirationTime: text,
  allowFileDiscovery: z.boolean().nullish(),
});
export type DrivePermission = z.infer<typeof drivePermissionSchema>;

const person = z.looseObject({ displayName: text, emailAddress: text }).nullish();
export const driveFileSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().catch('Untitled'),
  mimeType: z.string().catch('application/octet-stream'),
  createdTime: text,
  modifiedTime: text,
  trashed: z.boolean().nullish(),
  parents: z.array(z.string()).nullish(),
  driveId: text,
  owners: z.array(person).nullish(),
  lastModifyingUser: person,
  webViewLink: text,
  size: text,
  md5Checksum: text,
  headRevisionId: text,
  version: text,
  shortcutDetails: z.looseObject({ targetId: text, targetMimeType: text }).nullish(),
  capabilities: z.looseObject({ canDownload: z.boolean().nullish() }).nullish(),
  permissions: z.array(z.unknown()).nullish(),
});
export type DriveFile = z.infer<typeof driveFileSchema>;

export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';
/** A field mask: what isn't named isn't sent. */
export const FILE_FIELDS =
  'id,name,mimeType,createdTime,modifiedTime,trashed,parents,driveId,owners(displayName,emailAddress),' +
  'lastModifyingUser(displayName,emailAddress),webViewLink,size,md5Checksum,headRevisionId,version,' +
  'shortcutDetails,capabilities,permissions';

export interface DriveChange {
  /** `file`, or `drive` when a shared drive itself changed. */
  changeType: string;
  fileId: string | null;
  /** Gone, or no longer ours to read. */
  isRemoved: boolean;
  /** Null when it was removed, or isn't as Google documents it. */
  file: DriveFile | null;
}
