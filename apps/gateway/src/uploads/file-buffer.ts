/** A file as it comes in, in one piece from the start: joining its parts at the end would take its size a second time. */
export class FileBuffer {
  private readonly bytes: Buffer;
  private length = 0;

  /** @param most bytes that may come. What is not filled takes no memory: the system gives pages when they are written. */
  constructor(most: number) {
    this.bytes = Buffer.allocUnsafeSlow(most);
  }

  /** False, and nothing is taken, when there is more than was said. */
  push(part: Buffer): boolean {
    if (this.length + part.length > this.bytes.length) return false;
    this.length += part.copy(this.bytes, this.length);
    return true;
  }

  read(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
