import { AppError } from '@candor/contracts';
import { libraryProfileOf, type Embedder, type EmbedderRegistry } from '@candor/embeddings';
import {
  findUnembedded,
  forgetOtherEmbeddings,
  saveEmbedding,
  type Database,
  type TransactionRunner,
  type UnembeddedText,
} from '@candor/persistence';
import type { Logger } from '@candor/runtime';

export interface LibraryEmbedderOptions {
  /** Between two looks for new texts, ms. */
  everyMs?: number;
  /** Between two looks for vectors of another model, ms. */
  forgetEveryMs?: number;
  /** For which a text that the model refuses is left alone, ms. */
  putOffMs?: number;
}

const BATCH = 16;
/** After a round that failed as a whole, as while the model can't be reached. */
const PAUSE_MS = 5_000;

/**
 * Keeps a vector of each prompt and collection, of the configured model. The database says what is missing, so whatever
 * a worker leaves undone the next round finds, and another model's vectors are made again after its start.
 */
export class LibraryEmbedder {
  private timer: NodeJS.Timeout | undefined;
  private readonly stopped = new AbortController();
  private readonly putOff = new Map<string, number>();
  private running: Promise<void> = Promise.resolve();
  private isWaiting = false;
  private pausedUntil = 0;
  private forgetAt = 0;

  private readonly everybody: TransactionRunner;

  constructor(
    database: Database,
    private readonly embedders: EmbedderRegistry,
    private readonly logger: Logger,
    private readonly options: LibraryEmbedderOptions = {},
  ) {
    this.everybody = database.system('library-embedding');
  }

  start(): void {
    this.timer = setInterval(() => {
      // A slow round is not followed by all those that it kept waiting.
      if (!this.isWaiting && Date.now() >= this.pausedUntil) this.enqueue(() => this.look());
    }, this.options.everyMs ?? 500);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopped.abort();
    await this.running;
  }

  /** How many texts were embedded. */
  async embedMissing(): Promise<number> {
    let embedded = 0;
    for (;;) {
      const texts = await this.everybody.read((manager) => findUnembedded(manager, BATCH, this.listPutOff()));
      if (texts.length === 0 || this.hasStopped()) return embedded;
      const vectors = await this.embed(this.embedders.configured, texts);
      const profile = libraryProfileOf(this.embedders.configuredEmbedding);
      await this.everybody.transaction(async (transaction) => {
        for (const [text, vector] of vectors) await saveEmbedding(transaction, text, vector, profile);
      });
      embedded += vectors.size;
    }
  }

  async forgetOthers(): Promise<void> {
    const profile = libraryProfileOf(this.embedders.configuredEmbedding);
    const forgotten = await this.everybody.transaction((transaction) => forgetOtherEmbeddings(transaction, profile));
    if (forgotten > 0) this.logger.info({ forgotten }, 'Prompts and collections are embedded anew');
  }

  /** All at once; one by one when that fails, so that a text which the model refuses holds up no other. */
  private async embed(
    embedder: Embedder,
    texts: readonly UnembeddedText[],
  ): Promise<Map<UnembeddedText, Float32Array>> {
    const vectors = new Map<UnembeddedText, Float32Array>();
    try {
      const made = await embedder.embedPassages(texts.map(toEmbeddedText), this.stopped.signal);
      texts.forEach((text, index) => vectors.set(text, made[index] as Float32Array));
      return vectors;
    } catch (error) {
      // A model that can't be reached is no text's fault.
      const { code } = AppError.from(error);
      if (code === 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' || this.hasStopped()) throw error;
    }
    for (const text of texts) {
      try {
        const [vector] = await embedder.embedPassages([toEmbeddedText(text)], this.stopped.signal);
        if (vector) vectors.set(text, vector);
      } catch (error) {
        this.putOff.set(text.id, Date.now() + (this.options.putOffMs ?? 60_000));
        this.logger.warn(
          { itemType: text.itemType, id: text.id, code: AppError.from(error).code },
          'A text of the library can’t be embedded; tried again later',
        );
      }
    }
    return vectors;
  }

  private listPutOff(): string[] {
    const now = Date.now();
    for (const [id, until] of this.putOff) if (until <= now) this.putOff.delete(id);
    return [...this.putOff.keys()];
  }

  private async look(): Promise<void> {
    if (Date.now() >= this.forgetAt) {
      await this.forgetOthers();
      this.forgetAt = Date.now() + (this.options.forgetEveryMs ?? 600_000);
    }
    await this.embedMissing();
  }

  private hasStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  private enqueue(round: () => Promise<unknown>): void {
    this.isWaiting = true;
    this.running = this.running.then(async () => {
      this.isWaiting = false;
      if (this.hasStopped()) return;
      try {
        await round();
      } catch (error) {
        if (this.hasStopped()) return;
        this.pausedUntil = Date.now() + PAUSE_MS;
        this.logger.warn({ code: AppError.from(error).code }, 'Prompts and collections wait to be embedded');
      }
    });
  }
}

/** As passages are embedded, their title before them; of what is too long for the model the beginning counts. */
function toEmbeddedText({ title, description, content }: UnembeddedText): string {
  return [title, description, content].filter((part) => part !== '').join('\n');
}
