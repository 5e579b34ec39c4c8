/** The part of a piece of PDF text that its place in the page follows from. */
export interface PdfTextPiece {
  str: string;
  transform: readonly number[];
  height: number;
  hasEOL: boolean;
}

interface Line {
  text: string;
  y: number;
  height: number;
}

/** In line heights: a wider gap to the line above begins a paragraph. */
const PARAGRAPH_GAP = 1.75;

/** Lines as they stand on the page; a blank one where a paragraph, a column or a table begins. */
export function composePageText(pieces: readonly PdfTextPiece[]): string {
  const lines: Line[] = [];
  let current: Line | null = null;
  for (const { str, transform, height, hasEOL } of pieces) {
    current ??= { text: '', y: transform[5] ?? 0, height: 0 };
    if (current.text === '' && str.trim() !== '') current.y = transform[5] ?? 0;
    current.text += str;
    current.height = Math.max(current.height, height);
    if (hasEOL) {
      lines.push(current);
      current = null;
    }
  }
  if (current) lines.push(current);
  return joinLines(lines.filter(({ text }) => text.trim() !== ''));
}

function joinLines(lines: readonly Line[]): string {
  let text = '';
  let above: Line | null = null;
  for (const line of lines) {
    if (above) text += beginsParagraph(above, line) ? '\n\n' : '\n';
    text += line.text.trim();
    above = line;
  }
  return text;
}

function beginsParagraph(above: Line, line: Line): boolean {
  const size = Math.max(above.height, line.height);
  const gap = above.y - line.y;
  return size > 0 && (gap > size * PARAGRAPH_GAP || gap < -size);
}
