import { Injectable } from '@nestjs/common';
import { AppError, type Passage } from '@candor/contracts';
import { addShownChunks, Database, insertPassageSession, lockPassageSession } from '@candor/persistence';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';

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

  /** Locked only to note what is shown: of two searches at once, the later one leaves out what the earlier one took. */
  async searchInSession(sessionId: string, search: (shown: string[]) => Promise<Passage[]>): Promise<Passage[]> {
    const owner = requireCaller().scope;
    const before = await this.database.transaction((transaction) => requireSession(transaction, owner, sessionId));
    const found = await search(before);
    return this.database.transaction(async (transaction) => {
      const shown = new Set(await requireSession(transaction, owner, sessionId));
      const passages = found.filter((passage) => !shown.has(passage.chunkId));
      await addShownChunks(
        transaction,
        sessionId,
        passages.map((passage) => passage.chunkId),
      );
      return passages;
    });
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
