/** A text made from a source, each of whose characters knows where it comes from. Offsets are UTF-16. */
export interface MappedText {
  text: string;
  /** Where in the source `text[i]` begins and ends. */
  starts: Uint32Array;
  ends: Uint32Array;
}

export class MappedTextBuilder {
  private readonly parts: string[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private pendingSpace: { start: number; end: number } | null = null;

  /** All of `text` comes from one piece of the source. */
  add(text: string, start: number, end: number): void {
    if (this.pendingSpace && this.starts.length > 0) this.push(' ', this.pendingSpace.start, this.pendingSpace.end);
    this.pendingSpace = null;
    this.push(text, start, end);
  }

  /** Whitespace: a run of it becomes one space, at the ends nothing. */
  addSpace(start: number, end: number): void {
    this.pendingSpace = { start: this.pendingSpace?.start ?? start, end };
  }

  build(): MappedText {
    return { text: this.parts.join(''), starts: Uint32Array.from(this.starts), ends: Uint32Array.from(this.ends) };
  }

  private push(text: string, start: number, end: number): void {
    this.parts.push(text);
    for (let index = 0; index < text.length; index += 1) {
      this.starts.push(start);
      this.ends.push(end);
    }
  }
}
