import {
  AUDIT_FINDINGS,
  type AuditFinding,
  type AuditFindingType,
  type AuditHead,
  type ChainBatch,
  type ChainEvent,
} from '@candor/contracts';
import type { PublicKeys } from './audit-keys.js';
import { NO_DIGEST } from './chain-model.js';
import { wasErased } from './digests.js';
import { ErasureRecords } from './erasure-records.js';
import { ExpiryRecords } from './expiry-records.js';
import { verifyBatch } from './verify-batch.js';

/** Longer than a transaction may take: an event that says it is older than those sealed before it was put there. */
const BACKDATED_AFTER_MS = 15 * 60_000;

/** A forged number must not make a list without end. */
const MOST_NAMED_GAPS = 100;

export interface PreviousBatch {
  batch: number;
  digest: string;
  /** Whether its events are there; absent = nobody knows. */
  isKept?: boolean;
}

export interface ChainWalkOptions {
  keys: PublicKeys;
  /** What the first batch to come continues; absent = the beginning of the chain. */
  previous?: PreviousBatch | undefined;
  /** Heads that were kept elsewhere. */
  keptHeads?: readonly Pick<AuditHead, 'batch' | 'digest'>[];
}

/** Walks a chain batch by batch, so that a long one needs no memory, and says what is wrong with it. */
export class ChainWalk {
  readonly findings: AuditFinding[] = [];
  events = 0;
  erasedEvents = 0;
  expiredEvents = 0;
  expiredBatches = 0;
  last: ChainBatch | null = null;
  private readonly keptHeads: Map<number, string>;
  private readonly erasures = new ErasureRecords();
  private readonly expiries = new ExpiryRecords();
  private previous: PreviousBatch;
  private newestBefore = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ChainWalkOptions) {
    this.previous = options.previous ?? { batch: 0, digest: NO_DIGEST };
    this.keptHeads = new Map(options.keptHeads?.map(({ batch, digest }) => [batch, digest]));
  }

  add(batch: ChainBatch, events: readonly ChainEvent[]): void {
    const gapEnd = Math.min(batch.batch, this.previous.batch + 1 + MOST_NAMED_GAPS);
    for (let missing = this.previous.batch + 1; missing < gapEnd; missing += 1) this.report('batch_missing', missing);
    const follows = batch.batch === this.previous.batch + 1;
    if (batch.batch <= this.previous.batch || (follows && batch.previousDigest !== this.previous.digest))
      this.report('link_broken', batch.batch);
    const kept = this.keptHeads.get(batch.batch);
    if (kept !== undefined && kept !== batch.digest) this.report('head_differs', batch.batch);
    this.keptHeads.delete(batch.batch);

    this.findings.push(...verifyBatch(batch, events, this.options.keys));
    this.expiries.look(batch, this.previous.isKept === true);
    this.lookAt(batch, events);
    this.previous = { batch: batch.batch, digest: batch.digest, isKept: batch.expiredAt === null };
    this.last = batch;
  }

  /** An `audit.expire` event that stands outside of what is walked. */
  noteExpiry(event: Pick<ChainEvent, 'metadata'>): void {
    this.expiries.note(event);
  }

  /** The last batch that expired, where the walk may end before it. */
  noteExpired(batch: Pick<ChainBatch, 'batch' | 'digest'>): void {
    this.expiries.noteExpired(batch);
  }

  /** An `audit.erase` event that stands outside of what is walked. */
  noteErasure(event: Pick<ChainEvent, 'sequence' | 'metadata'>): void {
    this.erasures.note(event);
  }

  /** An event that is in no batch, though everything of its time is sealed. */
  noteStray(eventId: string): void {
    this.report('event_inserted', null, eventId);
  }

  /** What the export itself says it holds: lines that were dropped or added change the counts. */
  noteCounts(said: { batches: number }, counted: { batches: number }): void {
    if (said.batches !== counted.batches && !this.findings.some(({ type }) => type === 'batch_missing'))
      this.report('batch_missing', this.previous.batch + 1);
  }

  /** @param isComplete the end of the chain was reached. */
  finish({ isComplete }: { isComplete: boolean }): void {
    for (const batch of this.expiries.unrecorded) this.report('expiry_unrecorded', batch);
    this.nameErasures();
    if (!isComplete) return;
    for (const batch of this.keptHeads.keys()) if (batch > this.previous.batch) this.report('head_differs', batch);
    this.nameMoves();
  }

  private lookAt(batch: ChainBatch, events: readonly ChainEvent[]): void {
    this.events += events.length;
    if (batch.expiredAt !== null) {
      this.expiredBatches += 1;
      this.expiredEvents += batch.events;
    }
    let newest = this.newestBefore;
    for (const event of events) {
      if (wasErased(event)) this.erasedEvents += 1;
      this.erasures.look(event, batch.batch);
      if (event.action === 'audit.expire') this.noteExpiry(event);
      if (event.action === 'audit.erase') this.noteErasure(event);
      const at = Date.parse(event.createdAt);
      if (at < this.newestBefore - BACKDATED_AFTER_MS) this.report('event_backdated', batch.batch, event.id);
      newest = Math.max(newest, at);
    }
    this.newestBefore = newest;
  }

  /** An event that differs from what was sealed says nothing of an erasure. */
  private nameErasures(): void {
    const named = new Set(this.findings.map(({ eventId }) => eventId));
    for (const { id, batch } of this.erasures.unrecorded)
      if (!named.has(id)) this.report('erasure_unrecorded', batch, id);
  }

  /** One that is missing in a batch and stands in another was moved. */
  private nameMoves(): void {
    const inserted = new Set(
      this.findings.filter(({ type }) => type === 'event_inserted').map(({ eventId }) => eventId),
    );
    for (const [index, finding] of this.findings.entries()) {
      if (finding.type === 'event_missing' && inserted.has(finding.eventId))
        this.findings[index] = { ...finding, type: 'event_reordered', message: AUDIT_FINDINGS.event_reordered };
    }
  }

  private report(type: AuditFindingType, batch: number | null, eventId: string | null = null): void {
    this.findings.push({ type, batch, eventId, message: AUDIT_FINDINGS[type] });
  }
}
