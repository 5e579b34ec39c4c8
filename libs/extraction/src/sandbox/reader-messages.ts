import type { WireError } from '@candor/contracts';
import type { FileText } from '../formats/file-text.js';

/** To the child: the file's description, then its bytes in parts, until all have come. */
export type ToReader =
  { kind: 'file'; name: string; mediaType: string; size: number } | { kind: 'part'; bytes: Uint8Array };

/** From the child: once it can read, then one answer a file. */
export type FromReader =
  | { kind: 'ready' }
  | { kind: 'read'; text: FileText }
  | { kind: 'failed'; error: WireError; /** For our logs: where, without a word of the file. */ trace: string | null };
