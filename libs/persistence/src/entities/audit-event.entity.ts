import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditAction, AuditOutcome } from '@candor/contracts';

@Entity('audit_events')
export class AuditEventEntity {
  /** Order of insertion; also the list cursor. */
  @PrimaryColumn('bigint', { insert: false }) sequence!: string;
  @Column('uuid') id!: string;
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('uuid', { name: 'request_id' }) requestId!: string;
  @Column('text') action!: AuditAction;
  @Column('text') outcome!: AuditOutcome;
  @Column('uuid', { name: 'actor_api_key_id', nullable: true }) actorApiKeyId!: string | null;
  @Column('text', { name: 'actor_type' }) actorType!: string;
  @Column('text', { name: 'target_type', nullable: true }) targetType!: string | null;
  @Column('text', { name: 'target_id', nullable: true }) targetId!: string | null;
  @Column('jsonb') metadata!: Record<string, unknown>;
  /** Beside the metadata, since it can be erased; null when there is none, or not any more. */
  @Column('jsonb', { nullable: true }) erasable!: Record<string, unknown> | null;
  @Column('bytea', { name: 'erasable_salt', nullable: true, select: false }) erasableSalt?: Buffer | null;
  /** What the chain commits to; stays. */
  @Column('bytea', { name: 'erasable_digest', nullable: true }) erasableDigest!: Buffer | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'created_at', default: () => 'now()' }) createdAt!: Date;
}
