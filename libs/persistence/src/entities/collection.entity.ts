import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

@Entity('collections')
export class CollectionEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('text') name!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { nullable: true }) color!: string | null;
  @Column('text', { nullable: true }) icon!: string | null;
  @Column('text', { array: true, default: [] }) tags!: string[];
  /** These three belong to the vector of its text: read and written by statements of their own. */
  @Column('integer', { name: 'text_revision', default: 0, select: false }) textRevision?: number;
  @Column('bytea', { nullable: true, select: false }) embedding?: Buffer | null;
  @Column('text', { name: 'embedding_profile', nullable: true, select: false }) embeddingProfile?: string | null;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', precision: 3, name: 'updated_at' }) updatedAt!: Date;
}

@Entity('collection_items')
export class CollectionItemEntity {
  @PrimaryColumn('uuid', { name: 'collection_id' }) collectionId!: string;
  @PrimaryColumn('text', { name: 'item_type' }) itemType!: 'prompt' | 'document';
  @PrimaryColumn('uuid', { name: 'item_id' }) itemId!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'added_at' }) addedAt!: Date;
}
