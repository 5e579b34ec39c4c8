import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import { AppError } from '@candor/contracts';
import type { FileText } from './file-text.js';
import { readOfficeProperties } from './read-office-properties.js';
import { readSlide } from './read-slide.js';
import { TextCollector } from './text-collector.js';
import { openZip, type ZipArchive } from './zip-archive.js';

const PRESENTATION = 'ppt/presentation.xml';

/** Each slide a section with its title, paragraphs, tables and speaker notes; pictures and charts are left out. */
export async function readPptx(bytes: Uint8Array): Promise<FileText> {
  const archive = await openZip(bytes);
  const body = new TextCollector();
  const slides = await listSlides(archive);
  let firstTitle: string | null = null;
  let missing = 0;
  for (const [index, name] of slides.entries()) {
    if (!archive.has(name)) {
      missing += 1;
      continue;
    }
    const slide = readSlide(await archive.readText(name));
    const notes = await readNotes(archive, name);
    if (slide.title === null && slide.paragraphs.length === 0 && notes === '') continue;
    firstTitle ??= slide.title;
    body.add(`## ${slide.title ?? `Slide ${index + 1}`}\n\n`);
    for (const paragraph of slide.paragraphs) body.add(`${paragraph}\n\n`);
    if (notes !== '') body.add(`Notes: ${notes}\n\n`);
  }
  if (slides.length === 0) throw new AppError('EXTRACT.EMPTY', { message: 'The presentation has no slides.' });
  const properties = await readOfficeProperties(archive);
  return {
    title: properties.title ?? firstTitle,
    authorName: properties.authorName,
    body: body.toString().trimEnd(),
    mimeType: 'text/markdown',
    warnings: missing > 0 ? [`${missing} slides are missing in the file.`] : [],
  };
}

async function listSlides(archive: ZipArchive): Promise<string[]> {
  const targets = await readRelations(archive, PRESENTATION);
  const ids: string[] = [];
  const parser = new Parser(
    { onopentag: (name, attributes) => void (name === 'p:sldId' && ids.push(attributes['r:id'] ?? '')) },
    { xmlMode: true },
  );
  parser.end(await archive.readText(PRESENTATION));
  return ids.map((id) => targets.get(id)?.target).filter((target) => target !== undefined);
}

async function readNotes(archive: ZipArchive, slide: string): Promise<string> {
  const relations = await readRelations(archive, slide);
  const notes = [...relations.values()].find(({ type }) => type.endsWith('/notesSlide'))?.target;
  if (notes === undefined || !archive.has(notes)) return '';
  return readSlide(await archive.readText(notes)).paragraphs.join('\n');
}

async function readRelations(
  archive: ZipArchive,
  part: string,
): Promise<Map<string, { type: string; target: string }>> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations = new Map<string, { type: string; target: string }>();
  if (!archive.has(name)) return relations;
  const parser = new Parser(
    {
      onopentag(tag, { Id: id = '', Type: type = '', Target: target = '' }) {
        if (tag === 'Relationship')
          relations.set(id, { type, target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target) });
      },
    },
    { xmlMode: true },
  );
  parser.end(await archive.readText(name));
  return relations;
}
