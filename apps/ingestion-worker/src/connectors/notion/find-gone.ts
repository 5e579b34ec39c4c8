import { AppError } from '@candor/contracts';
import { isUnreadable } from '../item-errors.js';
import type { NotionClient } from './notion-client.js';
import { isTrashed } from './notion-object.js';

type Retriever = Pick<NotionClient, 'getPage' | 'getDataSource' | 'getDatabase'>;

/**
 * Which of these are gone. Search, the only listing there is, isn't guaranteed to give everything
 * (developers.notion.com/reference/search-optimizations-and-limitations), so each is asked for by its id. One that can't
 * be judged isn't gone; two in a row that fail are an outage, which is thrown.
 */
export async function findGone(client: Retriever, ids: readonly string[]): Promise<string[]> {
  const gone: string[] = [];
  let hasFailed = false;
  for (const id of ids) {
    try {
      if (await isGone(client, id)) gone.push(id);
      hasFailed = false;
    } catch (error) {
      if (hasFailed || !(error instanceof AppError) || error.code !== 'CONNECTOR.UNAVAILABLE') throw error;
      hasFailed = true;
    }
  }
  return gone;
}

/** In the trash, or not found as anything; an id doesn't tell what it is of. Other refusals prove nothing. */
async function isGone(client: Retriever, id: string): Promise<boolean> {
  let isMissing = true;
  for (const retrieve of [client.getPage, client.getDataSource, client.getDatabase]) {
    try {
      return isTrashed(await retrieve.call(client, id));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      isMissing &&= isUnreadable(error, ['object_not_found']);
    }
  }
  return isMissing;
}
