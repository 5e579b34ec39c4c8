import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Level } from '@candor/contracts';

/** The registry of every chunk there ever was of an unpurged item; its content is `text.slice(start, end)` of its version. */
@Entity('chunks')
export class ChunkEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('uuid', { name: 'item_id' }) itemId!: string;
  @Column('integer') version!: number;
  @Column('integer') ordinal!: number;
  @Column('text') level!: Level;
  @Column('uuid', { name: 'parent_id', nullable: true }) parentId!: string | null;
  @Column('uuid', { name: 'previous_id', nullable: true }) previousId!: string | null;
  @Column('uuid', { name: 'next_id', nullable: true }) nextId!: string | null;
  @Column('integer', { name: 'start_index' }) startIndex!: number;
  @Column('integer', { name: 'end_index' }) endIndex!: number;
  @Column('text', { name: 'section_path', array: true }) sectionPath!: string[];
  @Column('text', { name: 'heading_text', nullable: true }) headingText!: string | null;
  /** As its generation's: two generations may cut the same text differently. */
  @Column('text', { default: '' }) chunking!: string;
}
