export type BlockKind = 'heading' | 'paragraph' | 'list' | 'code' | 'table';

/** A piece of the normalized text; UTF-16 offsets, never overlapping, in reading order. */
export interface TextBlock {
  kind: BlockKind;
  /** Of a heading: 1–6. */
  level?: number;
  /** Of a heading: its words without markup. */
  headingText?: string;
  start: number;
  end: number;
}

/** What comes after so many blocks is text without them: blocks are stored and held in memory at once. */
export const MAX_BLOCKS = 100_000;
