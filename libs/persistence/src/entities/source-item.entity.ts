import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { AccessPolicy, ItemState, Provider } from '@candor/contracts';

/** The item's head: what holds now, whatever the index says. */
@Entity('source_items')
export class SourceItemEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('text') provider!: Provider;
  @Column('uuid', { name: 'connector_id', nullable: true }) connectorId!: string | null;
  @Column('text', { name: 'external_id' }) externalId!: string;
  @Column('text', { name: 'source_kind' }) sourceKind!: 'message' | 'document' | 'file';
  @Column('text') title!: string;
  @Column('text', { nullable: true }) url!: string | null;
  @Column('text', { name: 'author_name', nullable: true }) authorName!: string | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'source_created_at', nullable: true })
  sourceCreatedAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'source_updated_at', nullable: true })
  sourceUpdatedAt!: Date | null;
  /** null = unknown. */
  @Column({ type: 'timestamptz', precision: 3, name: 'synced_at', nullable: true }) syncedAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'valid_from', nullable: true }) validFrom!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'valid_until', nullable: true }) validUntil!: Date | null;
  @Column('text', { array: true, default: [] }) supersedes!: string[];
  @Column('text', { array: true, default: [] }) tags!: string[];
  @Column('jsonb', { name: 'access_policy', nullable: true }) accessPolicy!: AccessPolicy | null;
  @Column('text', { name: 'access_mode' }) accessMode!: AccessMode;
  @Column('text', { array: true, default: [] }) principals!: string[];
  @Column('jsonb', { default: {} }) metadata!: Record<string, unknown>;
  @Column('text', { name: 'metadata_hash', default: '' }) metadataHash!: string;
  /** The provider's own mark of the content; null when it has none, or none was told. */
  @Column('text', { name: 'content_revision', nullable: true }) contentRevision!: string | null;
  /** When its source last named it in a listing of everything. */
  @Column({ type: 'timestamptz', precision: 3, name: 'listed_at', nullable: true }) listedAt!: Date | null;
  /** Its source's latest attempt to read its content failed: text and sync time are older than the rest. */
  @Column('boolean', { name: 'is_unread', default: false }) isUnread!: boolean;
  /** Newest accepted version. */
  @Column('integer', { name: 'latest_version', default: 0 }) latestVersion!: number;
  /** The searchable version; null until the first one is. */
  @Column('integer', { name: 'live_version', nullable: true }) liveVersion!: number | null;
  /** Counts changes of the head; part of the ids of jobs that have no version of their own. */
  @Column('integer', { default: 0 }) revision!: number;
  /** Tombstone: hidden from the next query on. */
  @Column({ type: 'timestamptz', precision: 3, name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
  /** What a caller deleted doesn't come back when its source names it again. */
  @Column('text', { name: 'deleted_by', nullable: true }) deletedBy!: 'caller' | 'source' | null;
  /** When its last chunk was gone. */
  @Column({ type: 'timestamptz', precision: 3, name: 'purged_at', nullable: true }) purgedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', precision: 3, name: 'updated_at' }) updatedAt!: Date;
}

/** `unknown` = no policy was preserved: withheld from keys with principals. */
export type AccessMode = AccessPolicy['mode'] | 'unknown';

/** A block of the normalized text, UTF-16 offsets. */
export interface StoredBlock {
  kind: string;
  level?: number;
  /** Of a heading: its words without markup. */
  headingText?: string;
  start: number;
  end: number;
}

@Entity('item_versions')
export class ItemVersionEntity {
  @PrimaryColumn('uuid', { name: 'item_id' }) itemId!: string;
  @PrimaryColumn('integer') version!: number;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('uuid', { name: 'request_id' }) requestId!: string;
  @Column('text') state!: ItemState;
  @Column({ type: 'timestamptz', precision: 3, name: 'state_at', default: () => 'now()' }) stateAt!: Date;
  @Column('text', { name: 'error_type', nullable: true }) errorType!: string | null;
  @Column('text', { name: 'error_message', nullable: true }) errorMessage!: string | null;
  /** Of one that waits after an error. */
  @Column({ type: 'timestamptz', precision: 3, name: 'next_attempt_at', nullable: true }) nextAttemptAt!: Date | null;
  @Column('text') title!: string;
  @Column('text', { name: 'mime_type' }) mimeType!: 'text/plain' | 'text/markdown' | 'text/html';
  /** As pushed; null once the item is purged. */
  @Column('text', { nullable: true }) body!: string | null;
  /** Normalized; chunks are slices of it. */
  @Column('text', { nullable: true }) text!: string | null;
  @Column('jsonb', { nullable: true }) blocks!: StoredBlock[] | null;
  @Column('text', { name: 'content_hash' }) contentHash!: string;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'recorded_at' }) recordedAt!: Date;
  @Column({ type: 'timestamptz', precision: 3, name: 'superseded_at', nullable: true }) supersededAt!: Date | null;
  /** Counts re-sends after the queue lost its data; part of the job id. */
  @Column('integer', { default: 0 }) epoch!: number;
  /** Until then somebody is taken to be at work; the sweeper re-sends after it. */
  @Column({ type: 'timestamptz', precision: 3, name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
}
