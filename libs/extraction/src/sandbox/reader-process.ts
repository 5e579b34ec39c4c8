import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AppError } from '@candor/contracts';
import type { NamedFile } from '../formats/detect-format.js';
import type { FileText } from '../formats/file-text.js';
import type { FromReader, ToReader } from './reader-messages.js';

export interface ReaderLimits {
  /** Longest one file may take. */
  timeoutMs: number;
  /** Of the JavaScript heap. */
  heapMegabytes: number;
  /** Of the whole process. */
  memoryMegabytes: number;
}

/** Small enough that neither side's event loop notices. */
const PART_BYTES = 1024 * 1024;
const START_TIMEOUT_MS = 30_000;

interface Task {
  resolve: (text: FileText) => void;
  reject: (error: unknown) => void;
}

/** One child process, one file at a time. A file that hangs or explodes costs the child, nothing else. */
export class ReaderProcess {
  filesRead = 0;
  private readonly child: ChildProcess;
  private readonly started: Promise<void>;
  private task: Task | null = null;
  /** Why we ended it; null while it lives or when it ended by itself. */
  private verdict: Error | null = null;
  private ended = false;

  constructor(private readonly limits: ReaderLimits) {
    this.child = fork(childProgram(), [String(limits.memoryMegabytes)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [`--max-old-space-size=${limits.heapMegabytes}`, '--no-addons', '--no-warnings', ...permissionFlags()],
      // No secret of ours is readable there.
      env: {},
    });
    this.child.unref();
    this.child.channel?.unref();
    this.started = this.waitUntilReady();
    this.started.catch(() => undefined);
    this.child.on('message', (message: FromReader) => this.receive(message));
    this.child.on('error', (cause) => this.end(new AppError('INTERNAL.UNEXPECTED', { cause })));
    this.child.on('exit', (code, signal) => this.end(this.verdict ?? describeExit(code, signal)));
  }

  get isAlive(): boolean {
    return !this.ended && this.verdict === null;
  }

  /** @throws AppError as the child stated it, EXTRACT.TIMEOUT, EXTRACT.TOO_LARGE; the signal's reason when aborted. */
  async read(file: NamedFile, signal?: AbortSignal): Promise<FileText> {
    signal?.throwIfAborted();
    const abort = (): void => this.kill(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.started;
      this.filesRead += 1;
      timer = setTimeout(() => this.kill(new AppError('EXTRACT.TIMEOUT')), this.limits.timeoutMs);
      return await new Promise<FileText>((resolve, reject) => {
        if (!this.isAlive) return reject(this.verdict ?? new AppError('INTERNAL.UNEXPECTED'));
        this.task = { resolve, reject };
        this.sendFile(file).catch((error: unknown) => this.kill(error));
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.task = null;
    }
  }

  kill(reason: unknown): void {
    if (this.ended) return;
    this.verdict ??= reason instanceof Error ? reason : new AppError('INTERNAL.UNEXPECTED', { cause: reason });
    this.child.kill('SIGKILL');
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    if (this.ended) return;
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    // Else a program that has nothing else to do would end here, before its own last lines.
    this.child.ref();
    this.kill(new AppError('INTERNAL.UNEXPECTED', { message: 'The reader was stopped.' }));
    await gone;
  }

  private async sendFile({ name, mediaType, bytes }: NamedFile): Promise<void> {
    await this.send({ kind: 'file', name, mediaType, size: bytes.length });
    for (let start = 0; start < bytes.length && this.isAlive; start += PART_BYTES)
      await this.send({ kind: 'part', bytes: bytes.subarray(start, start + PART_BYTES) });
  }

  private send(message: ToReader): Promise<void> {
    return new Promise((resolve, reject) => {
      // A child that died meanwhile says why by its exit.
      this.child.send(message, (error) => (error && this.isAlive && this.child.connected ? reject(error) : resolve()));
    });
  }

  private receive(message: FromReader): void {
    if (message.kind === 'read') this.task?.resolve(message.text);
    else if (message.kind === 'failed') this.task?.reject(withTrace(message));
  }

  private end(reason: unknown): void {
    this.ended = true;
    this.task?.reject(reason);
  }

  private async waitUntilReady(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.kill(new AppError('INTERNAL.UNEXPECTED', { message: 'The reader did not start.' }));
      }, START_TIMEOUT_MS);
      const settle = (work: () => void): void => {
        clearTimeout(timer);
        work();
      };
      this.child.once('message', () => settle(resolve));
      this.child.once('error', (cause) => settle(() => reject(new AppError('INTERNAL.UNEXPECTED', { cause }))));
      this.child.once('exit', () =>
        settle(() =>
          reject(this.verdict ?? new AppError('INTERNAL.UNEXPECTED', { message: 'The reader did not start.' })),
        ),
      );
    });
  }
}

/** Tests run from the sources; a child process needs the built program. */
function childProgram(): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? '../../dist/sandbox/reader-child.js' : './reader-child.js', import.meta.url);
}

/** It reads its own code alone: a parser that is taken over sees no secret, writes no file and starts no program. */
function permissionFlags(): string[] {
  const known = process.allowedNodeEnvironmentFlags;
  const permission = ['--permission', '--experimental-permission'].find((flag) => known.has(flag));
  if (permission === undefined) return [];
  const root = dirname(dirname(dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))));
  const readable = ['node_modules/', 'libs/', 'package.json'].map((name) => `--allow-fs-read=${join(root, name)}`);
  return [permission, ...readable, '--allow-worker'];
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): AppError {
  // The watchdog kills, and V8 aborts, when memory runs out; the system's own killer does it alike.
  if (signal === 'SIGKILL' || signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134)
    return new AppError('EXTRACT.TOO_LARGE', { message: 'Reading the file needs more memory than it may have.' });
  const cause = new Error(`the reader ended with ${signal ?? `code ${code ?? 'unknown'}`}`);
  return new AppError('EXTRACT.UNREADABLE', { message: 'The file made its reader fail.', cause });
}

function withTrace({ error, trace }: Extract<FromReader, { kind: 'failed' }>): AppError {
  const known = AppError.fromWire(error);
  return trace === null ? known : new AppError(known.code, { message: known.message, cause: new Error(trace) });
}
