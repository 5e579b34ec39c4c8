import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { ingestDocumentSchema, type IngestDocument } from '@candor/contracts';

/** As a caller writes them: ids are plain strings. */
export type DocumentFields = Partial<z.input<typeof ingestDocumentSchema>>;

/** A valid document; without an `externalId` it is an item of its own. */
export function buildDocument(fields: DocumentFields = {}): IngestDocument {
  return ingestDocumentSchema.parse({
    provider: 'slack',
    sourceKind: 'message',
    externalId: `external-${randomBytes(6).toString('hex')}`,
    title: 'Release plan',
    body: 'The release is on Monday.',
    ...fields,
  });
}
