import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const KEY_BYTES = 32;
const FOLDER =
  process.env.CANDOR_BENCH_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'candor', 'bench');
/** Vectors written at once: a stopped run loses no more than this. */
const FLUSH = 64;

/**
 * An embedder whose vectors are kept on disk, by model and text, because embedding SciFact takes ten minutes on two
 * cores. Records are appended whole, so runs may share the file.
 */
export class KeptVectorEmbedder {
  #inner;
  #path;
  #vectors = new Map();
  #pending = [];
  #onProgress;

  static async open(inner, onProgress = () => undefined) {
    const embedder = new KeptVectorEmbedder();
    const { model, revision, dimensions } = inner.profile;
    embedder.#inner = inner;
    embedder.#onProgress = onProgress;
    embedder.#path = join(FOLDER, `${model}-${revision.slice(0, 12)}-${dimensions}.vectors`);
    await mkdir(FOLDER, { recursive: true });
    await embedder.#load();
    return embedder;
  }

  get profile() {
    return this.#inner.profile;
  }

  countTokens(text) {
    return this.#inner.countTokens(text);
  }

  async embedQuery(text, signal) {
    return this.#kept('query', text, () => this.#inner.embedQuery(text, signal));
  }

  async embedPassages(texts, signal) {
    const vectors = new Array(texts.length);
    let next = 0;
    let missed = 0;
    const pull = async () => {
      while (next < texts.length) {
        const index = next++;
        vectors[index] = await this.#kept('passage', texts[index], async () => {
          if (++missed % 100 === 0) this.#onProgress(`embedding: ${index + 1} of ${texts.length}`);
          return (await this.#inner.embedPassages([texts[index]], signal))[0];
        });
      }
    };
    // Two, so that the next text is at hand when a run ends.
    await Promise.all([pull(), pull()]);
    return vectors;
  }

  async close() {
    await this.#flush();
    await this.#inner.close();
  }

  async #kept(kind, text, compute) {
    const key = createHash('sha256').update(`${kind}\0`).update(text, 'utf16le').digest();
    const id = key.toString('base64');
    const known = this.#vectors.get(id);
    if (known) return known.slice();
    const vector = await compute();
    this.#vectors.set(id, vector.slice());
    this.#pending.push(key, Buffer.from(vector.slice().buffer));
    if (this.#pending.length >= 2 * FLUSH) await this.#flush();
    return vector;
  }

  async #flush() {
    const records = Buffer.concat(this.#pending.splice(0));
    if (records.length > 0) await appendFile(this.#path, records);
  }

  async #load() {
    if (!existsSync(this.#path)) return;
    const size = KEY_BYTES + 4 * this.profile.dimensions;
    let rest = Buffer.alloc(0);
    for await (const part of createReadStream(this.#path, { highWaterMark: 1 << 20 })) {
      const bytes = Buffer.concat([rest, part]);
      let start = 0;
      for (; start + size <= bytes.length; start += size) {
        const record = Uint8Array.prototype.slice.call(bytes, start, start + size);
        const id = Buffer.from(record.buffer, 0, KEY_BYTES).toString('base64');
        this.#vectors.set(id, new Float32Array(record.buffer, KEY_BYTES));
      }
      rest = bytes.subarray(start);
    }
    if (rest.length > 0) throw new Error(`${this.#path} is damaged: remove it`);
  }
}
