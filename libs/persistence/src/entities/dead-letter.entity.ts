import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('dead_letters')
export class DeadLetterEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('uuid', { name: 'request_id' }) requestId!: string;
  @Column('text', { name: 'job_name' }) jobName!: string;
  @Column('uuid', { name: 'item_id', nullable: true }) itemId!: string | null;
  @Column('integer', { nullable: true }) version!: number | null;
  @Column('jsonb') payload!: unknown;
  @Column('text', { name: 'error_type' }) errorType!: string;
  @Column('text', { name: 'error_message' }) errorMessage!: string;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
  @Column({ type: 'timestamptz', precision: 3, name: 'retried_at', nullable: true }) retriedAt!: Date | null;
}
