import { posix } from 'node:path';

/** `Name 0123456789abcdef0123456789abcdef`, as Notion names what it exports. */
const WITH_ID = /^(.*?)[ _-]?([0-9a-f]{32})(?:_all)?$/;

export interface NotionPath {
  title: string;
  /** A UUID with dashes; null when the name has none. */
  id: string | null;
  /** Titles of the pages above it, outermost first. */
  parents: string[];
}

export function parseNotionPath(name: string): NotionPath {
  const segments = name.split('/');
  const base = posix.parse(segments.pop() ?? '').name;
  const { title, id } = parseSegment(base);
  return { title, id, parents: segments.map((segment) => parseSegment(segment).title) };
}

function parseSegment(segment: string): { title: string; id: string | null } {
  const [, title = '', hex = ''] = WITH_ID.exec(segment) ?? [];
  if (hex === '') return { title: segment.replace(/_all$/, ''), id: null };
  return { title: title.trim() || 'Untitled', id: toUuid(hex) };
}

export function toNotionUrl(id: string): string {
  return `https://www.notion.so/${id.replaceAll('-', '')}`;
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
