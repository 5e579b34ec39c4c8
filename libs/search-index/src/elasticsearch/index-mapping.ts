import type { estypes } from '@elastic/elasticsearch';

/** Raised with every change to the mapping; part of the pipeline fingerprint. */
export const MAPPING_VERSION = 1;

const TEXT: estypes.MappingProperty = { type: 'text', analyzer: 'english' };
const KEYWORD: estypes.MappingProperty = { type: 'keyword' };
const DATE: estypes.MappingProperty = { type: 'date', format: 'strict_date_optional_time' };
/** Kept in `_source` only: never searched or filtered, so any length is welcome. */
const STORED: estypes.MappingProperty = { type: 'keyword', index: false, doc_values: false };

/**
 * Strict, so an unknown field is an error and not a silent mapping change. Live and history are alike. A pool tells its
 * generations apart.
 */
export function buildMapping(dimensions: number, { isPooled = false } = {}): estypes.MappingTypeMapping {
  return {
    dynamic: 'strict',
    _meta: { mappingVersion: MAPPING_VERSION },
    properties: {
      ...(isPooled ? { generation: KEYWORD } : {}),
      chunkId: KEYWORD,
      tenantId: KEYWORD,
      itemId: KEYWORD,
      version: { type: 'integer' },
      provider: KEYWORD,
      connectorId: KEYWORD,
      accessMode: KEYWORD,
      principals: KEYWORD,
      level: KEYWORD,
      ordinal: { type: 'integer', index: false },
      parentId: STORED,
      previousId: STORED,
      nextId: STORED,
      title: TEXT,
      sectionPath: TEXT,
      content: TEXT,
      contentHash: STORED,
      // A keyword has at most 32,766 bytes; a longer tag is still stored, only not searchable.
      tags: { type: 'keyword', ignore_above: 8_191 },
      sourceUpdatedAt: DATE,
      recordedAt: DATE,
      supersededAt: DATE,
      validFrom: DATE,
      validUntil: DATE,
      vector: {
        type: 'dense_vector',
        dims: dimensions,
        index: true,
        similarity: 'cosine',
        index_options: { type: 'int8_hnsw' },
      },
    },
  };
}

/** Dimensions of an existing mapping; null when it has no vector field. */
export function mappedDimensions(mapping: estypes.MappingTypeMapping | undefined): number | null {
  const vector = mapping?.properties?.['vector'];
  return vector?.type === 'dense_vector' ? (vector.dims ?? null) : null;
}
