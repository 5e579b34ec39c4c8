import { Injectable } from '@nestjs/common';
import { AppError, type Passage } from '@candor/contracts';
import { addShownChunks, Database, insertPassageSession, lockPassageSession } from '@candor/persistence';
import { requireCaller } from '../../access/caller.js';

/** A session remembers which chunks it has shown and never shows one twice. */
@Injectable()
export class PassageSessionService {
  constructor(private readonly database: Database) {}

  start(): Promise<string> {
    return this.database.transaction((transaction) => insertPassageSession(transaction, requireCaller().scope));
  }

  /** The session is locked meanwhile, so that two searches in it at once don't show the same chunk. */
  searchInSession(sessionId: string, search: (shown: string[]) => Promise<Passage[]>): Promise<Passage[]> {
    return this.database.transaction(async (transaction) => {
      const shown = await lockPassageSession(transaction, requireCaller().scope, sessionId);
      if (!shown) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such session.' });
      const passages = await search(shown);
      await addShownChunks(
        transaction,
        sessionId,
        passages.map((passage) => passage.chunkId),
      );
      return passages;
    });
  }
}
