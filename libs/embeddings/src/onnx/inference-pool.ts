import { InferenceThread, type InferenceThreadOptions } from './inference-thread.js';

/** A fixed number of inference threads; one that died is replaced when it is needed next. */
export class InferencePool {
  private constructor(
    private readonly options: InferenceThreadOptions,
    private readonly idle: InferenceThread[],
  ) {}

  static async start(size: number, options: InferenceThreadOptions): Promise<InferencePool> {
    const pool = new InferencePool(options, []);
    try {
      while (pool.idle.length < size) pool.idle.push(await InferenceThread.start(options));
      return pool;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /** The caller keeps the number of runs under way at or below the pool's size. */
  async run(tokenIds: BigInt64Array): Promise<Float32Array> {
    const candidate = this.idle.pop();
    let thread = candidate;
    try {
      if (!thread?.isAlive) thread = await InferenceThread.start(this.options);
      return await thread.run(tokenIds);
    } finally {
      if (thread) this.idle.push(thread);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((thread) => thread.close()));
  }
}
