import type { ChainBatch, ChainEvent } from '@candor/contracts';

interface ExpiryRecord {
  toBatch: number;
  /** Of that batch. */
  digest: string;
}

type Expired = Pick<ChainBatch, 'batch' | 'digest'>;

/** A forged number must not make a list without end. */
const MOST_NAMED = 100;

/**
 * Holds expired batches against the records of expiries. Retention removes from the beginning on and says each time how far it is:
 * the last batch that expired is the one that its last record names, by number and digest, and nothing before it is left.
 */
export class ExpiryRecords {
  private readonly records: ExpiryRecord[] = [];
  private readonly outOfTurn: number[] = [];
  private walked: { first: number; last: number } | undefined;
  private last: Expired | undefined;

  note({ metadata: { toBatch, digest } }: Pick<ChainEvent, 'metadata'>): void {
    if (typeof toBatch === 'number' && typeof digest === 'string') this.records.push({ toBatch, digest });
  }

  /** An expired batch, walked or not. */
  noteExpired({ batch, digest }: Expired): void {
    if (!this.last || batch > this.last.batch) this.last = { batch, digest };
  }

  /** @param isAfterKept the batch before it is whole. */
  look(batch: ChainBatch, isAfterKept: boolean): void {
    if (batch.expiredAt === null) return;
    this.noteExpired(batch);
    if (isAfterKept) this.outOfTurn.push(batch.batch);
    this.walked = { first: this.walked?.first ?? batch.batch, last: batch.batch };
  }

  /** Those that no record covers, the last hundred of them. */
  get unrecorded(): readonly number[] {
    return [...new Set([...this.beyondRecords(), ...this.outOfTurn])].sort((left, right) => left - right);
  }

  private beyondRecords(): number[] {
    const { last, walked } = this;
    if (!last || !walked) return [];
    if (this.records.some(({ toBatch, digest }) => toBatch === last.batch && digest === last.digest)) return [];
    const reached = Math.max(
      0,
      ...this.records.map(({ toBatch }) => toBatch).filter((toBatch) => toBatch < last.batch),
    );
    const from = Math.max(walked.first, reached + 1, walked.last - MOST_NAMED + 1);
    return Array.from({ length: Math.max(0, walked.last - from + 1) }, (_, index) => from + index);
  }
}
