import type { QuotaLimits } from '@candor/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('tenants')
export class TenantEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') name!: string;
  @Column('boolean', { name: 'is_default', default: false }) isDefault!: boolean;
  /** false = audit events hold only the SHA-256 of a query. */
  @Column('boolean', { name: 'audit_query_text', default: true }) auditQueryText!: boolean;
  /** Limits of its own; see `quotaLimitsSchema`. */
  @Column('jsonb', { default: {} }) quotas!: QuotaLimits;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
}
