import { AppError } from '@candor/contracts';
import type { NamedFile } from '../formats/detect-format.js';
import type { FileText } from '../formats/file-text.js';
import { ReaderProcess, type ReaderLimits } from './reader-process.js';

export interface FileReaderOptions extends Partial<ReaderLimits> {
  /** Files read at once, a process each. */
  processes?: number;
  /** Then a process is replaced: what parsers leak goes with it. */
  filesPerProcess?: number;
  /** A process without work ends after it. */
  idleMs?: number;
  /** Longest a file waits for its turn; then it has to come back. Default: no limit. */
  turnWaitMs?: number;
}

const DEFAULTS = {
  processes: 2,
  filesPerProcess: 100,
  idleMs: 60_000,
  turnWaitMs: Number.POSITIVE_INFINITY,
  timeoutMs: 60_000,
  heapMegabytes: 512,
  memoryMegabytes: 768,
};

/** Reads files of strangers in child processes with limits of time and memory; the caller's event loop stays free. */
export class FileReader {
  private readonly options: Required<FileReaderOptions>;
  private readonly idle: ReaderProcess[] = [];
  private readonly all = new Set<ReaderProcess>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;
  private idleTimer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: FileReaderOptions = {}) {
    this.options = { ...DEFAULTS, ...options };
  }

  /**
   * A function gives the file when its turn has come, so that waiting files are not in memory.
   *
   * @throws AppError `EXTRACT.*`, permanent, with a message for people; retryable DEPENDENCY.FILE_READERS_BUSY without a
   * turn in time, INTERNAL.UNEXPECTED when no process can be started; the signal's reason when aborted, which also kills
   * the reading process.
   */
  async read(file: NamedFile | (() => Promise<NamedFile>), signal?: AbortSignal): Promise<FileText> {
    await this.takeTurn(signal);
    let reader: ReaderProcess | null = null;
    try {
      const loaded = typeof file === 'function' ? await file() : file;
      reader = this.takeProcess();
      return await reader.read(loaded, signal);
    } finally {
      this.endTurn(reader);
    }
  }

  /** Ends the processes; what is being read fails. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idleTimer);
    await Promise.all([...this.all].map((reader) => reader.stop()));
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async takeTurn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const deadline = Date.now() + this.options.turnWaitMs;
    while (!this.closed && this.busy >= this.options.processes) await this.waitForTurn(deadline - Date.now(), signal);
    if (this.closed) throw new AppError('INTERNAL.UNEXPECTED', { message: 'The reader was closed.' });
    this.busy += 1;
  }

  private waitForTurn(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const leave = (error: Error): void => {
        const place = this.waiting.indexOf(wake);
        if (place >= 0) this.waiting.splice(place, 1);
        settle();
        reject(error);
      };
      const abort = (): void =>
        leave(signal?.reason instanceof Error ? signal.reason : new AppError('REQUEST.CANCELLED'));
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const wake = (): void => {
        settle();
        resolve();
      };
      if (Number.isFinite(milliseconds))
        timer = setTimeout(() => leave(new AppError('DEPENDENCY.FILE_READERS_BUSY')), Math.max(0, milliseconds));
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.push(wake);
    });
  }

  private takeProcess(): ReaderProcess {
    const idle = this.idle.pop();
    if (idle?.isAlive) return idle;
    if (idle) this.discard(idle);
    const started = new ReaderProcess(this.options);
    this.all.add(started);
    return started;
  }

  private endTurn(reader: ReaderProcess | null): void {
    this.busy -= 1;
    if (reader) this.giveBack(reader);
    this.waiting.shift()?.();
  }

  private giveBack(reader: ReaderProcess): void {
    if (!reader.isAlive || reader.filesRead >= this.options.filesPerProcess || this.closed) this.discard(reader);
    else this.idle.push(reader);
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => {
      for (const unused of this.idle.splice(0)) this.discard(unused);
    }, this.options.idleMs).unref();
  }

  private discard(reader: ReaderProcess): void {
    this.all.delete(reader);
    void reader.stop();
  }
}
