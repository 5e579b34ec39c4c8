import { Parser } from 'htmlparser2';
import { AppError } from '@candor/contracts';
import type { FileText } from './file-text.js';
import { readOfficeProperties } from './read-office-properties.js';
import { TextCollector } from './text-collector.js';
import { openZip } from './zip-archive.js';

const TAGS: Readonly<Record<string, string>> = {
  'text:p': 'p',
  'text:list': 'ul',
  'text:list-item': 'li',
  'table:table': 'table',
  'table:table-row': 'tr',
  'table:table-cell': 'td',
  'text:note': 'span',
};
/** Deleted text, and what is shown beside the text. */
const SKIPPED = new Set(['text:tracked-changes', 'office:annotation', 'text:table-of-content', 'text:sequence-decls']);

/** Headings, paragraphs, lists, tables and notes of an OpenDocument text. */
export async function readOdt(bytes: Uint8Array): Promise<FileText> {
  const archive = await openZip(bytes);
  if (
    archive.has('META-INF/manifest.xml') &&
    (await archive.readText('META-INF/manifest.xml')).includes('encryption-data')
  )
    throw new AppError('EXTRACT.ENCRYPTED');
  const into = new TextCollector();
  let skipping = 0;
  let inBody = false;
  const closings: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (SKIPPED.has(name) || skipping > 0) skipping += 1;
        if (name === 'office:text') inBody = true;
        if (skipping > 0 || !inBody) return;
        const tag = name === 'text:h' ? headingTag(attributes['text:outline-level']) : TAGS[name];
        closings.push(tag === undefined ? '' : `</${tag}>`);
        if (tag !== undefined) into.add(`<${tag}>`);
        else if (name === 'text:s') into.add(' '.repeat(Math.min(Number(attributes['text:c'] ?? 1) || 1, 100)));
        else if (name === 'text:tab') into.add('\t');
        else if (name === 'text:line-break') into.add('<br>');
      },
      ontext(text) {
        if (inBody && skipping === 0) into.add(escapeHtml(text));
      },
      onclosetag() {
        if (skipping > 0) skipping -= 1;
        else if (inBody) into.add(closings.pop() ?? '');
      },
    },
    { xmlMode: true },
  );
  parser.end(await archive.readText('content.xml'));
  return { ...(await readOfficeProperties(archive)), body: into.toString(), mimeType: 'text/html', warnings: [] };
}

function headingTag(level: string | undefined): string {
  return `h${Math.min(Math.max(Number(level) || 1, 1), 6)}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'));
}
