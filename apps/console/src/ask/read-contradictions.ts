import type { ReasoningResponseJson } from '@candor/contracts';

export interface Side {
  chunkId: string;
  documentId: string;
  documentTitle: string;
  quotation: string;
  value: string | null;
  sourceDate: string | null;
}

export interface Contradiction {
  /** What tells it from the others. */
  key: string;
  subject: string;
  left: Side;
  right: Side;
  /** What was declared to settle it, in the server's words; null = nothing. */
  settledBy: string | null;
}

/**
 * The disagreements of a reasoning response, each once: sections repeat their paragraphs, so the same two sentences may
 * arrive under several chunks; the same two with other values, or in conflict of another kind, are another disagreement. What has not the expected shape is left out rather than shown half.
 */
export function readContradictions(response: Pick<ReasoningResponseJson, 'contradictions'>): Contradiction[] {
  const seen = new Set<string>();
  return response.contradictions.flatMap((entry) => {
    const left = readSide(entry['left']);
    const right = readSide(entry['right']);
    if (!left || !right) return [];
    const sides = [left, right].map(({ documentId, quotation, value }) =>
      JSON.stringify([documentId, quotation, value]),
    );
    const key = [text(entry['kind']) ?? '', ...sides.sort()].join(' ');
    if (seen.has(key)) return [];
    seen.add(key);
    const settledBy = entry['settled_by'];
    return [{ key, subject: text(entry['subject']) ?? '', left, right, settledBy: describeSettlement(settledBy) }];
  });
}

function readSide(value: unknown): Side | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const side = value as Record<string, unknown>;
  const chunkId = text(side['chunk_id']);
  const documentId = text(side['document_id']);
  const quotation = text(side['quotation']);
  if (chunkId === null || documentId === null || quotation === null) return undefined;
  return {
    chunkId,
    documentId,
    quotation,
    documentTitle: text(side['document_title']) ?? 'Untitled',
    value: text(side['value']),
    sourceDate: text(side['source_date']),
  };
}

function describeSettlement(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
