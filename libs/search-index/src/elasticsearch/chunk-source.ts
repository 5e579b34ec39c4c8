import type { estypes } from '@elastic/elasticsearch';
import type { ChunkDocument, FoundChunk } from '../search-index.port.js';

/** `binary` is big-endian float32 in base64, half the bytes of a JSON array; older 9.x servers only have `array`. */
export type VectorFormat = 'binary' | 'array';

/** A chunk as it is in `_source`; history has the instant at which a newer version took over. */
export type ChunkSource = FoundChunk & { supersededAt?: string | null };
export type IndexedSource = ChunkSource & { vector: number[] | string };

/** Servers before 9.2 would send the vector with `_source`, as long decimals. */
export const CHUNK_SOURCE: estypes.SearchSourceConfig = { excludes: ['vector'] };

/** A server that knows `binary` leaves vectors out by itself, and then sends the source as it is stored, unparsed. */
export function sourceConfig(format: VectorFormat): estypes.SearchSourceConfig {
  return format === 'binary' ? true : CHUNK_SOURCE;
}

/** Doc values hold the unquantized vector; newer servers leave it out of `_source`. */
export function vectorFields(format: VectorFormat): Pick<estypes.SearchSearchRequestBody, 'docvalue_fields'> {
  return { docvalue_fields: [format === 'binary' ? { field: 'vector', format: 'binary' } : { field: 'vector' }] };
}

/** A quarter of the bytes as `binary`, which servers take from 9.3 on, and nobody has to read or write decimals. */
export function toSource(chunk: ChunkDocument, supersededAt: string | null, format: VectorFormat): IndexedSource {
  const vector = format === 'binary' ? encodeVector(chunk.vector) : Array.from(chunk.vector);
  return { ...chunk, supersededAt, vector };
}

export function fromHit(hit: estypes.SearchHit<ChunkSource>): FoundChunk {
  if (!hit._source) throw new Error('A hit came without its source.');
  return hit._source;
}

/** The raw doc value: `[base64]` or `[[x, y, …]]`. */
export function vectorOf(hit: estypes.SearchHit<ChunkSource>): Float32Array {
  const values: unknown = hit.fields?.['vector'];
  return decodeVector(Array.isArray(values) ? values[0] : undefined);
}

export function encodeVector(vector: Float32Array): string {
  // A copy: swap32 turns the bytes over in place.
  return Buffer.from(Float32Array.from(vector).buffer).swap32().toString('base64');
}

export function decodeVector(value: unknown): Float32Array {
  if (Array.isArray(value)) return Float32Array.from(value as number[]);
  if (typeof value !== 'string') throw new Error('A hit came without its vector.');
  const bytes = Buffer.from(value, 'base64');
  // A copy of its own: swap32 turns it over in place, and a pooled buffer may not start at a multiple of four.
  const aligned = new Uint8Array(bytes.byteLength);
  aligned.set(bytes);
  Buffer.from(aligned.buffer).swap32();
  return new Float32Array(aligned.buffer);
}
