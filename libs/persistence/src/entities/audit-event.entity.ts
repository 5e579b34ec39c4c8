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
  @Column({ type: 'timestamptz', precision: 3, name: 'created_at', default: () => 'now()' }) createdAt!: Date;
}
