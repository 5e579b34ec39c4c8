/**
 * Many readers or one exclusive section. LanceDB's snapshots make ordinary writes safe beside reads; removing old
 * files or a whole table is not, so that waits for the reads under way and holds new ones back.
 */
export class ReadWriteGate {
  private readers = 0;
  private exclusive: Promise<void> | null = null;
  private drained: (() => void) | null = null;

  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.exclusive) await this.exclusive;
    this.readers += 1;
    try {
      return await work();
    } finally {
      this.readers -= 1;
      if (this.readers === 0) this.drained?.();
    }
  }

  /** Callers take turns among themselves (the store's writer queue). */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    let open = (): void => {};
    this.exclusive = new Promise((resolve) => (open = resolve));
    try {
      if (this.readers > 0) await new Promise<void>((resolve) => (this.drained = resolve));
      return await work();
    } finally {
      this.drained = null;
      this.exclusive = null;
      open();
    }
  }
}
