/** Read at a time, UTF-16 units: some milliseconds of work. */
const PART = 500_000;

interface Part {
  /** Where it begins in the source, and in the collapsed text. */
  start: number;
  at: number;
  /** Its first whitespace, if it begins with some, stands in the part before it. */
  isAfterSpace: boolean;
}

/**
 * A text as `normalizeWhitespace` has it, with the way back; made part by part, so that whoever reads a large one can let
 * others work in between.
 */
export class CollapsedText {
  private readonly parts: Part[] = [];
  private readonly pieces: string[] = [];
  private length = 0;
  private next = 0;
  private whole: string | undefined;

  constructor(private readonly source: string) {}

  /** False once all of it is read. */
  readPart(): boolean {
    if (this.next >= this.source.length) return false;
    const start = this.next;
    this.next = Math.min(start + PART, this.source.length);
    let piece = this.source.slice(start, this.next).replace(/\s+/g, ' ');
    const isAfterSpace = this.length === 0 || this.pieces.at(-1)?.endsWith(' ') === true;
    if (isAfterSpace && piece.startsWith(' ')) piece = piece.slice(1);
    this.parts.push({ start, at: this.length, isAfterSpace });
    // An empty one would hide what the piece before it ends with.
    if (piece !== '') this.pieces.push(piece);
    this.length += piece.length;
    return true;
  }

  get text(): string {
    while (this.readPart());
    this.whole ??= this.pieces.join('').trimEnd();
    return this.whole;
  }

  /** Where in the source a piece of the text begins and ends, which begins and ends with something else than a space. */
  locate(at: number, length: number): { start: number; end: number } {
    return { start: this.findSource(at), end: this.findSource(at + length - 1) + 1 };
  }

  private findSource(wanted: number): number {
    const part = this.parts.findLast(({ at }) => at <= wanted) ?? { start: 0, at: 0, isAfterSpace: true };
    let inRun = part.isAfterSpace;
    let at = part.at;
    for (let index = part.start; index < this.source.length; index += 1) {
      const isSpace = /\s/.test(this.source[index] ?? '');
      if (isSpace && inRun) continue;
      if (at === wanted) return index;
      at += 1;
      inRun = isSpace;
    }
    return this.source.length;
  }
}
