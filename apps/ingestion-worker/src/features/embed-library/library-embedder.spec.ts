import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { EmbedderRegistry, HashingEmbedder, libraryProfileOf, type Embedder } from '@candor/embeddings';
import { insertPrompt, updatePrompt, type PromptRow } from '@candor/persistence';
import { createTestDatabase, TestTenant, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { LibraryViews } from '@candor/persistence/views';
import { createLogger } from '@candor/runtime';
import { waitFor } from '@candor/testkit';
import { LibraryEmbedder } from './library-embedder.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const logger = createLogger('test', { level: 'fatal' });
const AUTHOR = { apiKeyId: randomUUID(), name: 'Editor' };

withPostgres('the vectors of the library', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let hashing: HashingEmbedder;
  let library: LibraryEmbedder | undefined;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    hashing = new HashingEmbedder({ dimensions: 16 });
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
  });
  afterEach(() => library?.stop());

  const make = (title: string): Promise<PromptRow> =>
    test.database.transaction((transaction) =>
      insertPrompt(transaction, tenant.id, AUTHOR, { title, description: 'About it', content: 'Text.' }),
    );
  const over = (embedder: Embedder, options = {}): LibraryEmbedder =>
    (library = new LibraryEmbedder(test.database, EmbedderRegistry.around(embedder), logger, options));
  const readVectors = async (embedder: Embedder = hashing): Promise<Map<string, Float32Array>> => {
    const profile = libraryProfileOf(EmbedderRegistry.around(embedder).configuredEmbedding);
    const found = new Map<string, Float32Array>();
    for await (const page of new LibraryViews(test.database).vectors(tenant.id, 'prompt', { profile, tags: [] }))
      for (const { id, vector } of page) found.set(id, vector);
    return found;
  };
  /** Fails where `refuses` says so. */
  const failing = (refuses: (text: string) => AppError | null): Embedder => ({
    profile: hashing.profile,
    embedQuery: (text, signal) => hashing.embedQuery(text, signal),
    embedPassages: async (texts, signal) => {
      const error = texts.map(refuses).find((reason) => reason !== null);
      if (error) throw error;
      return hashing.embedPassages(texts, signal);
    },
    countTokens: (text) => hashing.countTokens(text),
    close: () => hashing.close(),
  });

  it('are made of title, description and content', async () => {
    const { id } = await make('Greeting');
    await over(hashing).embedMissing();
    const [expected] = await hashing.embedPassages(['Greeting\nAbout it\nText.']);
    expect((await readVectors()).get(id)).toEqual(expected);
    expect(await library?.embedMissing()).toBe(0);
  });

  it('follow changes while the worker runs, and those of another model are made again', async () => {
    const { id } = await make('Greeting');
    const other = new HashingEmbedder({ dimensions: 8 });
    await over(other).embedMissing();
    over(hashing, { everyMs: 5 }).start();
    await waitFor(async () => (await readVectors()).has(id), { what: 'a vector of the configured model' });
    expect((await readVectors(other)).size).toBe(0);
    const before = (await readVectors()).get(id);
    await test.database.transaction((transaction) =>
      updatePrompt(transaction, tenant.id, id, AUTHOR, { title: 'Farewell' }),
    );
    const after = await waitFor(async () => (await readVectors()).get(id), { what: 'a vector of the new text' });
    expect(after).not.toEqual(before);
  });

  it('are made of all others when the model refuses one text, and of that one later', async () => {
    const bad = await make('Bad');
    const good = await make('Good');
    let refuses = true;
    const embedder = failing((text) =>
      refuses && text.startsWith('Bad') ? new AppError('REQUEST.INVALID', { message: 'no' }) : null,
    );
    over(embedder, { putOffMs: 1 });
    await library?.embedMissing().catch(() => undefined);
    expect([...(await readVectors()).keys()]).toEqual([good.id]);
    refuses = false;
    await waitFor(
      async () => {
        await library?.embedMissing();
        return (await readVectors()).has(bad.id);
      },
      { what: 'a vector of the text that was put off' },
    );
  });

  it('wait while the model can’t be reached, and blame no text for it', async () => {
    const { id } = await make('Greeting');
    let isDown = true;
    over(failing(() => (isDown ? new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE') : null)));
    await expect(library?.embedMissing()).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
    isDown = false;
    await library?.embedMissing();
    expect((await readVectors()).has(id)).toBe(true);
  });
});
