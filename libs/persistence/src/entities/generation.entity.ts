import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** One build of a tenant's index: a fixed recipe over a corpus that grows. */
@Entity('generations')
export class GenerationEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  /** Part of the physical index name. */
  @Column('text') name!: string;
  @Column('text') status!: 'live' | 'retired';
  @Column('text', { name: 'pipeline_fingerprint' }) pipelineFingerprint!: string;
  /** Sum modulo 2^128 over the live (item, version, content hash): the order of changes does not matter. */
  @Column('numeric', { name: 'corpus_sum', default: 0 }) corpusSum!: string;
  @Column('integer', { name: 'item_count', default: 0 }) itemCount!: number;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
}
