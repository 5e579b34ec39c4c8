import type { FileText } from './file-text.js';
import { readText } from './read-text.js';

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n---[ \t]*(?:\r?\n|$)/;

export function readMarkdown(bytes: Uint8Array, mediaType: string): FileText {
  const read = readText(bytes, mediaType);
  return { ...read, ...describeMarkdown(read.body), mimeType: 'text/markdown' };
}

/** Title and author of the front matter; else the heading of level 1 that the document begins with. */
export function describeMarkdown(body: string): Pick<FileText, 'title' | 'authorName'> {
  const frontMatter = FRONT_MATTER.exec(body);
  const fields = frontMatter?.[1] ?? '';
  const rest = frontMatter ? body.slice(frontMatter[0].length) : body;
  return { title: readField(fields, 'title') ?? firstHeading(rest), authorName: readField(fields, 'author') };
}

function readField(fields: string, name: string): string | null {
  const found = new RegExp(`^${name}:[ \\t]*(\\S.*)$`, 'im').exec(fields)?.[1]?.trim();
  if (!found || /^[[{|>&*]/.test(found)) return null;
  return found.replace(/^(["'])(.*)\1$/, '$2') || null;
}

function firstHeading(text: string): string | null {
  const lines = text.trimStart().slice(0, 4_000).split(/\r?\n/, 2);
  const first = lines[0] ?? '';
  const heading = /^#[ \t]+(\S.*?)[ \t#]*$/.exec(first)?.[1] ?? (/^=+[ \t]*$/.test(lines[1] ?? '') ? first : null);
  return heading === null ? null : heading.replace(/[*_`]|\[([^\]]{0,500})\]\([^)]{0,2000}\)/g, '$1');
}
