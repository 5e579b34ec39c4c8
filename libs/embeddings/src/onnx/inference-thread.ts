import { Worker } from 'node:worker_threads';
import { AppError } from '@candor/contracts';

export interface InferenceThreadOptions {
  modelPath: string;
  pooling: 'cls' | 'mean';
  /** Threads that one run may use. */
  threads: number;
}

type Reply = { kind: 'ready' } | { kind: 'vector'; vector: Float32Array } | { kind: 'failed'; message: string };

interface Pending {
  resolve: (reply: Reply) => void;
  reject: (error: AppError) => void;
}

const BUSY = 0;
const CLOSING = 1;
const EXIT_WAIT_MS = 5_000;

/** One model in one thread, one run at a time; keeps the process alive only while it runs. */
export class InferenceThread {
  private pending: Pending | undefined;
  private ended = false;

  private constructor(
    private readonly worker: Worker,
    private readonly state: Int32Array,
  ) {
    worker.on('message', (reply: Reply) => {
      const pending = this.takePending();
      if (reply.kind === 'failed') pending?.reject(unavailable(new Error(reply.message)));
      else pending?.resolve(reply);
    });
    worker.on('error', (error) => this.end(error));
    worker.on('exit', () => this.end(new Error('the inference thread ended')));
    process.on('exit', this.onProcessExit);
  }

  /** @throws AppError DEPENDENCY.EMBEDDINGS_UNAVAILABLE when the model can't be loaded. */
  static async start(options: InferenceThreadOptions): Promise<InferenceThread> {
    const state = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    // Loading is as little interruptible as a run; the thread itself says when it is idle.
    state[BUSY] = 1;
    const worker = new Worker(new URL('./inference-worker.mjs', import.meta.url), {
      workerData: { ...options, state },
      // Flags of the process (a test runner's, a debugger's) are not meant for this thread.
      execArgv: [],
    });
    const thread = new InferenceThread(worker, state);
    await thread.expectReply();
    worker.unref();
    return thread;
  }

  get isAlive(): boolean {
    return !this.ended;
  }

  /** Takes the ids' memory over. @throws AppError DEPENDENCY.EMBEDDINGS_UNAVAILABLE */
  async run(tokenIds: BigInt64Array): Promise<Float32Array> {
    if (this.ended || this.pending) throw unavailable(new Error('the inference thread is not free'));
    this.worker.ref();
    this.worker.postMessage(tokenIds, [tokenIds.buffer as ArrayBuffer]);
    try {
      const reply = await this.expectReply();
      if (reply.kind !== 'vector') throw unavailable(new Error(`unexpected reply ${reply.kind}`));
      return reply.vector;
    } finally {
      this.worker.unref();
    }
  }

  /** To be called when no run is under way: ending the thread inside one aborts the process. */
  async close(): Promise<void> {
    process.off('exit', this.onProcessExit);
    this.ended = true;
    await this.worker.terminate();
  }

  private expectReply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
    });
  }

  private takePending(): Pending | undefined {
    const pending = this.pending;
    this.pending = undefined;
    return pending;
  }

  private end(error: unknown): void {
    this.ended = true;
    process.off('exit', this.onProcessExit);
    this.takePending()?.reject(unavailable(error));
  }

  /** `process.exit()` during a run would end in an abort of the native library, so the run is waited for. */
  private readonly onProcessExit = (): void => {
    Atomics.store(this.state, CLOSING, 1);
    Atomics.wait(this.state, BUSY, 1, EXIT_WAIT_MS);
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', { cause });
}
