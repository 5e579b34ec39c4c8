import { expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { addShownChunks, insertPassageSession, lockPassageSession } from './passage-session.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('passage sessions', (postgres) => {
  const owner = { tenantId: randomUuid(), apiKeyId: randomUuid() };
  const begin = (): Promise<string> =>
    postgres.database.transaction((transaction) => insertPassageSession(transaction, owner));
  const shown = (id: string, who = owner): Promise<string[] | null> =>
    postgres.database.transaction((transaction) => lockPassageSession(transaction, who, id));

  it('belong to the key that began them', async () => {
    const id = await begin();
    expect(await shown(id)).toEqual([]);
    expect(await shown(id, { ...owner, apiKeyId: randomUuid() })).toBeNull();
    expect(await shown(id, { ...owner, tenantId: randomUuid() })).toBeNull();
    expect(await shown(randomUuid())).toBeNull();
  });

  it('never show the same chunk to two searches at once', async () => {
    const id = await begin();
    const chunks = Array.from({ length: 6 }, () => randomUuid());
    const search = (): Promise<string[]> =>
      postgres.database.transaction(async (transaction) => {
        const seen = (await lockPassageSession(transaction, owner, id)) ?? [];
        const next = chunks.filter((chunk) => !seen.includes(chunk)).slice(0, 2);
        await addShownChunks(transaction, id, next);
        return next;
      });
    const results = await Promise.all([search(), search(), search(), search()]);
    expect(results.flat().sort()).toEqual([...chunks].sort());
    expect(new Set(await shown(id))).toEqual(new Set(chunks));
  });
});
