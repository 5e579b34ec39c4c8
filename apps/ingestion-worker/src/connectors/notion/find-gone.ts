import { isUnreadable } from '../item-errors.js';
import { OutageGuard } from '../outage-guard.js';
import type { NotionClient } from './notion-client.js';
import { asText, isObject, isTrashed, type NotionObject } from './notion-object.js';

type Retriever = Pick<NotionClient, 'getPage' | 'getDataSource' | 'getDatabase' | 'getBlock'>;
type Retrieve = (id: string) => Promise<NotionObject>;

interface Place {
  id: string;
  /** An item's id doesn't tell what it is of. */
  ways: readonly Retrieve[];
}

/** Blocks between pages count too. Beyond it, nothing is proved. */
const MOST_ANCESTORS = 50;

/**
 * Which of these are gone. Search, the only listing there is, isn't guaranteed to give everything
 * (developers.notion.com/reference/search-optimizations-and-limitations), so each is asked for by its id. What lies below
 * something in the trash says itself that it lives, and is gone with it. One that can't be judged isn't gone; the third
 * in a row that fails is an outage, which is thrown.
 */
export async function findGone(client: Retriever, ids: readonly string[]): Promise<string[]> {
  const judge = new GoneJudge(client, ids);
  const gone: string[] = [];
  for (const id of ids) if (await judge.isGone(id)) gone.push(id);
  return gone;
}

class GoneJudge {
  private readonly guard = new OutageGuard(true);
  private readonly asked: ReadonlySet<string>;
  /** Siblings share their ancestors. */
  private readonly judged = new Map<string, boolean>();

  constructor(
    private readonly client: Retriever,
    ids: readonly string[],
  ) {
    this.asked = new Set(ids);
  }

  isGone(id: string): Promise<boolean> {
    const { client } = this;
    const ways = [client.getPage, client.getDataSource, client.getDatabase].map((way): Retrieve => way.bind(client));
    return this.judge({ id, ways }, 0);
  }

  private async judge(place: Place, depth: number): Promise<boolean> {
    const known = this.judged.get(place.id);
    if (known !== undefined) return known;
    const isGone = await this.look(place, depth);
    this.judged.set(place.id, isGone);
    return isGone;
  }

  private async look(place: Place, depth: number): Promise<boolean> {
    const found = await this.find(place);
    if (found === 'unclear') return false;
    // An ancestor that isn't found may just not be shared with us; what is stored was.
    if (found === 'missing') return this.asked.has(place.id);
    if (isTrashed(found)) return true;
    const parent = this.readParent(found);
    return parent !== null && depth < MOST_ANCESTORS && this.judge(parent, depth + 1);
  }

  private async find({ id, ways }: Place): Promise<NotionObject | 'missing' | 'unclear'> {
    try {
      return await this.guard.ask('retrieve', () => retrieve(id, ways));
    } catch (error) {
      this.guard.toItemFailure(id, null, error);
      return 'unclear';
    }
  }

  /** Null at the top of the workspace, and for what isn't as documented. */
  private readParent(found: NotionObject): Place | null {
    const parent = isObject(found['parent']) ? found['parent'] : {};
    const type = asText(parent['type']);
    const way = this.findWay(type);
    const id = asText(parent[type]);
    return way === null || id === '' ? null : { id, ways: [way] };
  }

  private findWay(parentType: string): Retrieve | null {
    switch (parentType) {
      case 'page_id':
        return (id) => this.client.getPage(id);
      case 'database_id':
        return (id) => this.client.getDatabase(id);
      case 'data_source_id':
        return (id) => this.client.getDataSource(id);
      case 'block_id':
        return (id) => this.client.getBlock(id);
      default:
        return null;
    }
  }
}

/** Missing = not found as anything. Other refusals prove nothing. */
async function retrieve(id: string, ways: readonly Retrieve[]): Promise<NotionObject | 'missing' | 'unclear'> {
  let isMissing = true;
  for (const way of ways) {
    try {
      return await way(id);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      isMissing &&= isUnreadable(error, ['object_not_found']);
    }
  }
  return isMissing ? 'missing' : 'unclear';
}
