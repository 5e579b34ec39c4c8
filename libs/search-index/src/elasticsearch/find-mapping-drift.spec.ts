import { findMappingDrift } from './find-mapping-drift.js';
import { buildMapping } from './index-mapping.js';

describe('findMappingDrift', () => {
  it('takes what the server adds for granted', () => {
    const actual = structuredClone(buildMapping(8));
    const vector = actual.properties?.['vector'] as { index_options: object };
    vector.index_options = { type: 'int8_hnsw', m: 16, ef_construction: 100 };
    expect(findMappingDrift(buildMapping(8), { ...actual, dynamic: 'strict', date_detection: true })).toEqual([]);
  });

  it('names what is different, missing or unknown', () => {
    const { properties = {}, ...rest } = buildMapping(8);
    const { tags: _missing, title: _other, ...others } = properties;
    const actual = {
      ...rest,
      _meta: { mappingVersion: 0 },
      dynamic: true,
      properties: { ...others, title: { type: 'keyword' as const }, extra: { type: 'long' as const } },
    };
    expect(findMappingDrift(buildMapping(8), actual).sort()).toEqual([
      '_meta.mappingVersion is 0 and should be 1',
      'dynamic is true and should be strict',
      'extra is not known',
      'tags is missing',
      'title.analyzer is undefined and should be english',
      'title.type is keyword and should be text',
    ]);
  });
});
