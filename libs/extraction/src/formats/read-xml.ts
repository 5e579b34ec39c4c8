import { Parser } from 'htmlparser2';
import { AppError } from '@candor/contracts';
import type { FileText } from './file-text.js';
import { charsetWarnings, requireText, statedCharset } from './read-text.js';
import { TextCollector } from './text-collector.js';

const MAX_DEPTH = 500;

/** Text with the name of the element around it, attributes included; entities of the file's own are not expanded. */
export function readXml(bytes: Uint8Array, mediaType: string): FileText {
  const declared = /^<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)/.exec(
    Buffer.from(bytes.subarray(0, 300)).toString('latin1'),
  )?.[1];
  const decoded = requireText(bytes, { declared: statedCharset(mediaType) ?? declared });
  const into = new TextCollector();
  const path: { name: string; text: string; hasChildren: boolean }[] = [];
  const flush = (): void => {
    const element = path.at(-1);
    if (!element) return;
    const text = element.text.replace(/\s+/g, ' ').trim();
    element.text = '';
    if (text !== '') into.add(`${element.name}: ${text}\n`);
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const parent = path.at(-1);
        flush();
        if (parent) parent.hasChildren = true;
        if (path.length >= MAX_DEPTH)
          throw new AppError('EXTRACT.UNREADABLE', { message: 'The file is nested too deeply.' });
        path.push({ name, text: '', hasChildren: false });
        for (const [attribute, value] of Object.entries(attributes))
          if (!attribute.startsWith('xmlns') && value.trim() !== '') into.add(`${name} ${attribute}: ${value}\n`);
      },
      ontext(text) {
        const element = path.at(-1);
        if (element) element.text += text;
      },
      onclosetag() {
        flush();
        // A blank line after each record keeps records in paragraphs of their own.
        if (path.pop()?.hasChildren) into.add('\n');
      },
    },
    { xmlMode: true },
  );
  parser.end(decoded.text);
  return {
    title: null,
    authorName: null,
    body: into
      .toString()
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    mimeType: 'text/plain',
    warnings: charsetWarnings(decoded),
  };
}
