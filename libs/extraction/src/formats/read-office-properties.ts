import { Parser } from 'htmlparser2';
import type { FileText } from './file-text.js';
import type { ZipArchive } from './zip-archive.js';

const OFFICE_PART = 'docProps/core.xml';
const OPEN_DOCUMENT_PART = 'meta.xml';

/** Title and author as the program that wrote the file keeps them. */
export async function readOfficeProperties(archive: ZipArchive): Promise<Pick<FileText, 'title' | 'authorName'>> {
  const part = [OFFICE_PART, OPEN_DOCUMENT_PART].find((name) => archive.has(name));
  if (part === undefined) return { title: null, authorName: null };
  const found: Partial<Record<string, string>> = {};
  let open = '';
  const parser = new Parser(
    {
      onopentagname: (name) => (open = name),
      ontext: (text) => (found[open] = `${found[open] ?? ''}${text}`.slice(0, 4_000)),
      onclosetag: () => (open = ''),
    },
    { xmlMode: true },
  );
  parser.end(await archive.readText(part));
  const title = found['dc:title']?.trim() ?? '';
  const author = (found['dc:creator'] ?? found['meta:initial-creator'])?.trim() ?? '';
  return { title: isPlaceholder(title) ? null : title, authorName: PROGRAMS.test(author) ? null : author };
}

/** Libraries that sign as the author of what somebody made with them. */
const PROGRAMS = /^(?:python-(?:docx|pptx)|openpyxl|anonymous|unknown|un-named)?$/i;

/** What programs write when nobody named the document. */
export function isPlaceholder(title: string): boolean {
  return (
    title === '' ||
    /^(untitled|document|presentation|powerpoint presentation|slide \d+|book|sheet|microsoft (word|powerpoint|excel))\b[\s\d.-]*$/i.test(
      title,
    ) ||
    /^microsoft \w+ - |\.(docx?|pptx?|xlsx?|pdf|odt|rtf|indd|tex|dvi)$/i.test(title)
  );
}
