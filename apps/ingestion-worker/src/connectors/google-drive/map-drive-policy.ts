import { ANYONE, type AccessPolicy } from '@candor/contracts';
import { drivePermissionSchema, type DriveFile, type DrivePermission } from './drive-file.js';

const MAX_PRINCIPALS = 10_000;

/** What a readable permission grants. */
type Grant =
  | { kind: 'principal'; principal: string }
  /** To whoever has the file's address; null = whoever in the world. */
  | { kind: 'link'; domain: string | null }
  | { kind: 'none' };

/**
 * Each permission as a principal: `user:<address>`, `group:<address>`, `domain:<name>`, `anyone`. What is open by link
 * alone is found by nobody who wasn't given the link, so it is no principal but a fact: `anyoneWithLink`,
 * `domainsWithLink`. Null when the list is unreadable or names nobody. Entries that can't be read (null, without an
 * address) let nobody in and are counted.
 */
export function mapDrivePolicy(
  file: Pick<DriveFile, 'driveId'>,
  permissions: readonly unknown[] | null,
  now: number,
): AccessPolicy | null {
  if (permissions === null) return null;
  const grants = permissions.map((entry) => readGrant(drivePermissionSchema.safeParse(entry).data ?? null, now));
  const principals = new Set(grants.flatMap((grant) => (grant?.kind === 'principal' ? [grant.principal] : [])));
  const links = new Set(grants.flatMap((grant) => (grant?.kind === 'link' ? [grant.domain] : [])));
  if (principals.size === 0 && links.size === 0) return null;
  const domainsWithLink = [...links].filter((domain) => domain !== null).sort();
  const unreadable = grants.filter((grant) => grant === null).length;
  return {
    provider: 'google_drive',
    mode: 'acl',
    principals: [...principals].sort().slice(0, MAX_PRINCIPALS),
    ...(file.driveId ? { driveId: file.driveId } : {}),
    ...(links.has(null) ? { anyoneWithLink: true } : {}),
    ...(domainsWithLink.length > 0 ? { domainsWithLink } : {}),
    ...(unreadable > 0 ? { unreadablePermissions: unreadable } : {}),
    ...(principals.size > MAX_PRINCIPALS ? { principalsLeftOut: principals.size - MAX_PRINCIPALS } : {}),
  };
}

/** Null = unreadable. */
function readGrant(permission: DrivePermission | null, now: number): Grant | null {
  if (permission === null) return null;
  const { type, emailAddress, domain, expirationTime, view, allowFileDiscovery } = permission;
  // `view` grants see a published copy, or the name alone.
  if (permission.deleted === true || view || (expirationTime && Date.parse(expirationTime) <= now)) {
    return { kind: 'none' };
  }
  switch (type) {
    case 'user':
    case 'group':
      return emailAddress ? { kind: 'principal', principal: `${type}:${emailAddress.toLowerCase()}` } : null;
    case 'domain':
      if (!domain) return null;
      return allowFileDiscovery === false
        ? { kind: 'link', domain: domain.toLowerCase() }
        : { kind: 'principal', principal: `domain:${domain.toLowerCase()}` };
    case 'anyone':
      return allowFileDiscovery === true ? { kind: 'principal', principal: ANYONE } : { kind: 'link', domain: null };
    default:
      return null;
  }
}
