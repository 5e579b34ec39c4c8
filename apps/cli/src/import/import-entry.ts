import type { IngestDocument } from '@candor/contracts';

/** Something to import, or the reason why a thing that was found is not. */
export type ImportEntry =
  | { kind: 'document'; name: string; document: IngestDocument }
  | { kind: 'file'; name: string; path: string; externalId: string; modifiedAt: Date; size: number }
  | { kind: 'problem'; name: string; message: string }
  | { kind: 'skipped'; name: string; message: string };

export interface ReadOptions {
  as: 'auto' | 'files' | 'documents' | 'slack' | 'notion' | 'mbox';
  /** Before the external ids of files. */
  prefix: string;
  workspaceUrl?: string;
  workspace?: string;
  channels?: readonly string[];
  mailbox?: string;
}
