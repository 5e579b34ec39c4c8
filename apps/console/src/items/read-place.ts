import type { TextRange } from './split-at-ranges.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OFFSET = /^\d{1,9}$/;

/** The place in an address; what is no place is as if it weren't there. Without offsets a named chunk is marked whole. */
export function readPlace(search: URLSearchParams): { chunkId: string | undefined; ranges: TextRange[] | null } {
  const chunkId = search.get('chunkId') ?? '';
  if (!UUID.test(chunkId)) return { chunkId: undefined, ranges: [] };
  const start = search.get('start') ?? '';
  const end = search.get('end') ?? '';
  if (!OFFSET.test(start) || !OFFSET.test(end)) return { chunkId, ranges: null };
  return { chunkId, ranges: [{ start: Number(start), end: Number(end) }] };
}
