import type { QuotaLimits } from '@candor/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('tenants')
export class TenantEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') name!: string;
  @Column('boolean', { name: 'is_default', default: false }) isDefault!: boolean;
  /** false = audit events hold only the SHA-256 of a query. */
  @Column('boolean', { name: 'audit_query_text', default: true }) auditQueryText!: boolean;
  /** Whether content may go to an external model; null = not said. */
  @Column('boolean', { name: 'external_models', nullable: true }) externalModels!: boolean | null;
  /** Days by kind of record. */
  @Column('jsonb', { default: {} }) retention!: Record<string, number>;
  /** From here on nothing of it answers. */
  @Column({ type: 'timestamptz', precision: 3, name: 'erased_at', nullable: true }) erasedAt!: Date | null;
  /** Limits of its own; see `quotaLimitsSchema`. */
  @Column('jsonb', { default: {} }) quotas!: QuotaLimits;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
}
