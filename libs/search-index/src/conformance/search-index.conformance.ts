import type { IndexUnderTest } from './index-fixture.js';
import { describeBuilding } from './building.conformance.js';
import { describeHistories } from './histories.conformance.js';
import { describeProperties } from './properties.conformance.js';
import { describeSearching } from './searching.conformance.js';
import { describeSelectivity } from './selectivity.conformance.js';
import { describeWriting } from './writing.conformance.js';

export type { IndexUnderTest } from './index-fixture.js';

/** What every `SearchIndexReader` and `SearchIndexWriter` must do; run by each adapter's spec on a real index. */
export function describeSearchIndex(create: () => Promise<IndexUnderTest>, destroy: () => Promise<void>): void {
  let index: IndexUnderTest | undefined;
  const open = (): IndexUnderTest => {
    if (!index) throw new Error('The index was not created.');
    return index;
  };

  beforeAll(async () => {
    index = await create();
  });
  afterAll(async () => {
    await index?.reader.close();
    await index?.writer.close();
    await destroy();
  });

  describe('writing', () => describeWriting(open));
  describe('building', () => describeBuilding(open));
  describe('searching', () => describeSearching(open));
  describe('properties', () => describeProperties(open));
  describe('histories', () => describeHistories(open));
  describe('a full page', () => describeSelectivity(open));
}
