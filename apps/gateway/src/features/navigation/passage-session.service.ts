import { Injectable } from '@nestjs/common';
import { AppError, type Passage } from '@candor/contracts';
import { addShownChunks, Database, insertPassageSession, lockPassageSession } from '@candor/persistence';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';

/** Searches of one session that run at the same time get their turns; more than so many at once is no use of a session. */
const MOST_TURNS = 5;

/** A session remembers which chunks it has shown and never shows one twice. */
@Injectable()
export class PassageSessionService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  start(): Promise<{ data: { sessionId: string } }> {
    return this.requests.run(async (transaction) => ({
      data: { sessionId: await insertPassageSession(transaction, requireCaller().scope) },
    }));
  }

  /**
   * The session is locked only to note what is shown, never while searching. Of searches at once, those that find what
   * another has just taken search again; after some turns they show what is left of their page.
   */
  async searchInSession(sessionId: string, search: (shown: string[]) => Promise<Passage[]>): Promise<Passage[]> {
    const owner = requireCaller().scope;
    let shown = await this.database.transaction((transaction) => requireSession(transaction, owner, sessionId));
    for (let turn = 1; ; turn += 1) {
      const found = await search(shown);
      const taken = await this.database.transaction(async (transaction) => {
        const shownNow = await requireSession(transaction, owner, sessionId);
        const fresh = found.filter((passage) => !shownNow.includes(passage.chunkId));
        if (fresh.length < found.length && turn < MOST_TURNS) return { shownNow, passages: null };
        const ids = fresh.map((passage) => passage.chunkId);
        await addShownChunks(transaction, sessionId, ids);
        return { shownNow, passages: fresh };
      });
      if (taken.passages) return taken.passages;
      shown = taken.shownNow;
    }
  }
}

async function requireSession(
  transaction: Parameters<typeof lockPassageSession>[0],
  owner: Parameters<typeof lockPassageSession>[1],
  sessionId: string,
): Promise<string[]> {
  const shown = await lockPassageSession(transaction, owner, sessionId);
  if (!shown) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such session.' });
  return shown;
}
