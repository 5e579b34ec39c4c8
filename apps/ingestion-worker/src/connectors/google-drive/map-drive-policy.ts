import { ANYONE, type AccessPolicy } from '@candor/contracts';
import { drivePermissionSchema, type DriveFile, type DrivePermission } from './drive-file.js';

const MAX_PRINCIPALS = 10_000;

/**
 * Each permission as a principal: `user:<address>`, `group:<address>`, `domain:<name>`, `anyone` (also by link alone).
 * Null when the list is unreadable or names nobody. Entries that can't be read (null, without an address, of deleted
 * accounts) let nobody in and are counted.
 */
export function mapDrivePolicy(
  file: Pick<DriveFile, 'driveId'>,
  permissions: readonly unknown[] | null,
  now: number,
): AccessPolicy | null {
  if (permissions === null) return null;
  const read = permissions.map((entry) => drivePermissionSchema.safeParse(entry).data ?? null);
  const principals = new Set(read.flatMap((permission) => toPrincipal(permission, now) ?? []));
  if (principals.size === 0) return null;
  const isByLink = read.some((permission) => permission?.type === 'anyone' && permission.allowFileDiscovery === false);
  const unreadable = read.filter((permission) => toPrincipal(permission, now) === null).length;
  return {
    provider: 'google_drive',
    mode: 'acl',
    principals: [...principals].sort().slice(0, MAX_PRINCIPALS),
    ...(file.driveId ? { driveId: file.driveId } : {}),
    // Drive shows such a file to whoever has its address, and finds it for nobody else.
    ...(isByLink ? { byLinkAlone: true } : {}),
    ...(unreadable > 0 ? { unreadablePermissions: unreadable } : {}),
    ...(principals.size > MAX_PRINCIPALS ? { principalsLeftOut: principals.size - MAX_PRINCIPALS } : {}),
  };
}

/** Null = unreadable; [] = readable, but lets nobody in. */
function toPrincipal(permission: DrivePermission | null, now: number): string[] | null {
  if (permission === null) return null;
  const { type, emailAddress, domain, expirationTime, view } = permission;
  // `view` grants see a published copy, or the name alone.
  if (permission.deleted === true || view || (expirationTime && Date.parse(expirationTime) <= now)) return [];
  switch (type) {
    case 'user':
    case 'group':
      return emailAddress ? [`${type}:${emailAddress.toLowerCase()}`] : null;
    case 'domain':
      return domain ? [`domain:${domain.toLowerCase()}`] : null;
    case 'anyone':
      return [ANYONE];
    default:
      return null;
  }
}
