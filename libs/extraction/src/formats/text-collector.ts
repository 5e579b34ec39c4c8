import { MAX_BODY_LENGTH, tooMuchText } from './file-text.js';

/** Gathers the text of a file and stops reading one that has too much of it. */
export class TextCollector {
  private readonly parts: string[] = [];
  private size = 0;

  get length(): number {
    return this.size;
  }

  /** @throws AppError EXTRACT.TOO_LARGE */
  add(part: string): void {
    this.size += part.length;
    if (this.size > MAX_BODY_LENGTH) throw tooMuchText();
    this.parts.push(part);
  }

  toString(): string {
    return this.parts.join('');
  }
}
