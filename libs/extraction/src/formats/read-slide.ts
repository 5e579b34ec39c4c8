import { Parser } from 'htmlparser2';

export interface Slide {
  title: string | null;
  paragraphs: string[];
}

/** Repeated on every slide, or numbers of it. */
const FURNITURE = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

/** The shapes' text in the order of the file, which is the order in which they were put there. */
export function readSlide(xml: string): Slide {
  const slide: Slide = { title: null, paragraphs: [] };
  let placeholder = '';
  let shape: string[] = [];
  let paragraph = '';
  let cell: string[] | null = null;
  let row: string[] = [];
  let isText = false;
  const endShape = (): void => {
    const text = shape.join('\n').trim();
    if (text !== '' && !FURNITURE.has(placeholder)) {
      if (/^(title|ctrTitle)$/.test(placeholder) && slide.title === null) slide.title = text.replace(/\s+/g, ' ');
      else slide.paragraphs.push(text);
    }
    shape = [];
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'p:sp' || name === 'p:graphicFrame') {
          endShape();
          placeholder = '';
        } else if (name === 'p:ph') placeholder = attributes['type'] ?? 'body';
        else if (name === 'a:tr') row = [];
        else if (name === 'a:tc') cell = [];
        else if (name === 'a:br') paragraph += '\n';
        isText = name === 'a:t';
      },
      ontext(text) {
        if (isText) paragraph += text;
      },
      onclosetag(name) {
        if (name === 'a:t') isText = false;
        else if (name === 'a:p') {
          if (paragraph.trim() !== '') (cell ?? shape).push(paragraph.trim());
          paragraph = '';
        } else if (name === 'a:tc') {
          row.push((cell ?? []).join(' '));
          cell = null;
        } else if (name === 'a:tr') shape.push(row.join(' | '));
        else if (name === 'p:sp' || name === 'p:graphicFrame') endShape();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  endShape();
  return slide;
}
