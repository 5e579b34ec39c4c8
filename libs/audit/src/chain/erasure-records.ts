import { z } from 'zod';
import type { ChainEvent } from '@candor/contracts';
import { wasErased } from './digests.js';

/** What an `audit.erase` event says was erased, of the events before it. */
export const erasureRecordSchema = z.strictObject({
  cause: z.enum(['retention', 'person', 'tenant', 'upgrade']),
  /** Those that these keys caused; null = everybody's. */
  apiKeyIds: z.array(z.string()).nullable(),
  /** Those from before this time; null = of all times. */
  before: z.iso.datetime().nullable(),
  /** These alone: erasures from before there were records. */
  eventIds: z.array(z.string()).optional(),
  /** How many lost their text in this commit. */
  events: z.number().int().nonnegative(),
});
export type ErasureRecord = z.infer<typeof erasureRecordSchema>;

interface Recorded extends ErasureRecord {
  sequence: bigint;
}

interface Waiting extends Pick<ChainEvent, 'id' | 'createdAt' | 'actorApiKeyId'> {
  batch: number;
  sequence: bigint;
}

/** Holds erased texts against the records of erasures: a text that somebody else took away has none. */
export class ErasureRecords {
  private readonly records: Recorded[] = [];
  /** Of the records that name their events, the last one of each event: a trail of years is held against a hundred of them. */
  private readonly lastNamed = new Map<string, bigint>();
  private waiting: Waiting[] = [];

  /** In any order; what is no such record covers nothing. */
  note({ sequence, metadata }: Pick<ChainEvent, 'sequence' | 'metadata'>): void {
    const parsed = erasureRecordSchema.safeParse(metadata);
    if (!parsed.success) return;
    const record = { ...parsed.data, sequence: BigInt(sequence) };
    if (record.eventIds) return this.noteNamed(record.eventIds, record.sequence);
    // Hourly retention writes many, each of which covers what the one before it did.
    const last = this.records.at(-1);
    if (last && isWider(record, last)) this.records.pop();
    this.records.push(record);
    this.waiting = this.waiting.filter((event) => !covers(record, event));
  }

  look(event: ChainEvent, batch: number): void {
    if (!wasErased(event)) return;
    const { id, createdAt, actorApiKeyId } = event;
    const erased = { id, createdAt, actorApiKeyId, batch, sequence: BigInt(event.sequence) };
    if (this.isNamed(erased) || this.records.some((record) => covers(record, erased))) return;
    this.waiting.push(erased);
  }

  /** Erased events that no record covers. */
  get unrecorded(): readonly { id: string; batch: number }[] {
    return this.waiting;
  }

  private noteNamed(eventIds: readonly string[], sequence: bigint): void {
    for (const id of eventIds) {
      const noted = this.lastNamed.get(id);
      if (noted === undefined || noted < sequence) this.lastNamed.set(id, sequence);
    }
    this.waiting = this.waiting.filter((event) => !this.isNamed(event));
  }

  private isNamed({ id, sequence }: Waiting): boolean {
    const named = this.lastNamed.get(id);
    return named !== undefined && sequence < named;
  }
}

function covers(record: Recorded, event: Waiting): boolean {
  if (event.sequence >= record.sequence) return false;
  return (
    (record.before === null || Date.parse(event.createdAt) < Date.parse(record.before)) &&
    (record.apiKeyIds === null || (event.actorApiKeyId !== null && record.apiKeyIds.includes(event.actorApiKeyId)))
  );
}

function isWider(record: Recorded, other: Recorded): boolean {
  return (
    record.apiKeyIds === null &&
    other.apiKeyIds === null &&
    record.sequence > other.sequence &&
    (record.before === null || (other.before !== null && record.before >= other.before))
  );
}
