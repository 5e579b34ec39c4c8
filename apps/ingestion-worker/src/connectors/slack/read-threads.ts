import type { ItemChanges } from '../source-connector.port.js';
import { readSlackThread, toExternalId, type ChannelContext } from './read-slack-thread.js';

/** Threads of one channel by the timestamps of their roots, whatever their age. */
export async function readThreads(timestamps: readonly string[], context: ChannelContext): Promise<ItemChanges> {
  const changes: ItemChanges = { items: [], deletedIds: [], failures: [] };
  for (const ts of timestamps) {
    const externalId = toExternalId(context.channel.id, ts);
    try {
      // As if it had replies: then all of it is asked for, and not what an old page of history said.
      const thread = await readSlackThread({ ts, thread_ts: ts }, context);
      if (thread === null) {
        changes.deletedIds.push(externalId);
        continue;
      }
      changes.items.push(thread.item);
      changes.failures.push(...thread.failures);
    } catch (error) {
      changes.failures.push(context.guard.toItemFailure(externalId, `#${context.channel.name}`, error));
    }
  }
  return changes;
}
