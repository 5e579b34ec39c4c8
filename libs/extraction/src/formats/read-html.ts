import { Parser } from 'htmlparser2';
import type { FileText } from './file-text.js';
import { dropInlineData } from './drop-inline-data.js';
import { charsetWarnings, requireText, statedCharset } from './read-text.js';

/** How far browsers look for a charset. */
const DECLARATION_BYTES = 4_096;
export function readHtml(bytes: Uint8Array, mediaType: string): FileText {
  const decoded = requireText(bytes, { declared: statedCharset(mediaType) ?? declaredCharset(bytes) });
  const body = dropInlineData(decoded.text);
  return { ...describeHtml(body), body, mimeType: 'text/html', warnings: charsetWarnings(decoded) };
}

function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
  );
}

/** The page's `<title>`, else its first `<h1>`; the author it names. */
export function describeHtml(html: string): Pick<FileText, 'title' | 'authorName'> {
  const found: Record<'title' | 'h1', string | null> = { title: null, h1: null };
  let authorName: string | null = null;
  let open: 'title' | 'h1' | null = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      if ((name === 'title' || name === 'h1') && open === null && found[name] === null) {
        open = name;
        found[name] = '';
      }
      if (name === 'meta' && attributes['name']?.toLowerCase() === 'author')
        authorName ??= attributes['content'] ?? null;
    },
    ontext(text) {
      if (open !== null) found[open] = `${found[open] ?? ''}${text}`.slice(0, 4_000);
    },
    onclosetag(name) {
      if (name === open) open = null;
    },
  });
  // Both stand at the beginning; the whole of a large page would be read for nothing.
  parser.end(html.slice(0, 500_000));
  const pick = (text: string | null): string | null => (text !== null && text.trim() !== '' ? text : null);
  return { title: pick(found.title) ?? pick(found.h1), authorName };
}
