import type { Version } from '@candor/contracts';
import type { VersionRow } from '@candor/persistence';

export function toVersion({ createdAt, ...row }: VersionRow): Version {
  const { id, version, title, userName, changeLog, content } = row;
  return { id, version, title, userName, changeLog, content, createdAt: createdAt.toISOString() };
}
