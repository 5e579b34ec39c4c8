import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { GenerationState } from '@candor/contracts';

/** How the vectors of a generation are made; enough to open the same model again. */
export interface StoredEmbedding {
  provider: string;
  model: string;
  revision: string;
  dimensions: number;
  maxTokens: number;
  queryPrefix?: string;
  passagePrefix?: string;
}

/** All that decides how a document looks in an index. */
export interface GenerationRecipe {
  embedding: StoredEmbedding;
  extractorVersion: string;
  chunkerVersion: string;
  indexMappingVersion: number;
}

/** One run of promoting; `outcome` is null while it is wanted or running. */
export interface PromotionRun {
  runId: string;
  requestId: string;
  /** ISO instant. */
  requestedAt: string;
  outcome: 'promoted' | 'refused' | null;
  errorType?: string;
  errorMessage?: string;
}

/** One build of a tenant's index: a fixed recipe over a corpus that grows. */
@Entity('generations')
export class GenerationEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  /** Counts from 1 within the tenant. */
  @Column('integer', { default: 1 }) number!: number;
  /** Part of the physical index name; `pending-…` until the build has opened its model. */
  @Column('text') name!: string;
  @Column('text') status!: GenerationState;
  /** Empty until the build has opened its model. */
  @Column('text', { name: 'pipeline_fingerprint' }) pipelineFingerprint!: string;
  /** As asked for; null = the configured one. */
  @Column('text', { name: 'requested_model', nullable: true }) requestedModel!: string | null;
  /** Null: older than this record, or not prepared yet. */
  @Column('jsonb', { nullable: true }) recipe!: GenerationRecipe | null;
  /** Tells its chunks in the registry from those of generations that cut texts differently. */
  @Column('text', { default: '' }) chunking!: string;
  /**
   * Sum modulo 2^128 over the live (item, version, content hash): the order of changes does not matter. Kept for the
   * live generation; of the others `generation_items` says what they hold.
   */
  @Column('numeric', { name: 'corpus_sum', default: 0 }) corpusSum!: string;
  @Column('integer', { name: 'item_count', default: 0 }) itemCount!: number;
  @Column('uuid', { name: 'request_id', nullable: true }) requestId!: string | null;
  @Column('text', { name: 'error_type', nullable: true }) errorType!: string | null;
  @Column('text', { name: 'error_message', nullable: true }) errorMessage!: string | null;
  @Column('text', { nullable: true }) work!: 'build' | 'reconcile' | 'retire' | null;
  /** Only the job of the newest round is carried out. */
  @Column('integer', { name: 'work_round', default: 0 }) workRound!: number;
  /** `fill`: items that it lacks; `verify`: the index itself against the database. */
  @Column('text', { name: 'work_phase', default: 'fill' }) workPhase!: 'fill' | 'verify';
  /** Items up to this one are done. */
  @Column('uuid', { name: 'work_cursor', nullable: true }) workCursor!: string | null;
  /** Until then somebody is taken to be at work. */
  @Column({ type: 'timestamptz', precision: 3, name: 'work_lease_until', nullable: true })
  workLeaseUntil!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'work_started_at', nullable: true }) workStartedAt!: Date | null;
  /** Items written since the work started. */
  @Column('integer', { name: 'work_items', default: 0 }) workItems!: number;
  @Column('jsonb', { nullable: true }) report!: ReconcileReport | null;
  @Column('jsonb', { nullable: true }) promotion!: PromotionRun | null;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
  @Column({ type: 'timestamptz', precision: 3, name: 'built_at', nullable: true }) builtAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'promoted_at', nullable: true }) promotedAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'demoted_at', nullable: true }) demotedAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'retire_after', nullable: true }) retireAfter!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'retired_at', nullable: true }) retiredAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'reconciled_at', nullable: true }) reconciledAt!: Date | null;
}

/** Differences between an index and the database that were found and repaired. */
export interface ReconcileReport {
  missing: number;
  outdated: number;
  dangling: number;
}
