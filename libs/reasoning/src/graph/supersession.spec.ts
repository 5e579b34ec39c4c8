import { describe, expect, it } from '@jest/globals';
import type { DeclaredStatus } from '@candor/contracts';
import { makeDocuments, makeRelations } from '../testing/make-declarations.js';
import { IDENTITY } from '../testing/scripted-ports.js';
import { projectGraph } from './project-graph.js';
import { indexGraph, isValidAt, resolveReplacement } from './supersession.js';

const AT = Date.parse('2026-06-01T00:00:00Z');

function resolve(
  pairs: [newer: string, older: string][],
  documentId = 'a',
  documents: { documentId: string; status?: DeclaredStatus; validFrom?: string; validUntil?: string }[] = [],
) {
  const graph = projectGraph({
    identity: IDENTITY,
    documents: makeDocuments(documents),
    relations: makeRelations(pairs.map(([fromDocumentId, toDocumentId]) => ({ fromDocumentId, toDocumentId }))),
    evidence: [{ chunkId: 'c', documentId: 'a', documentTitle: '' }],
  });
  return resolveReplacement(indexGraph(graph), documentId, AT);
}

describe('resolveReplacement', () => {
  it('is none for a document that nothing replaced, also when it replaced another', () => {
    expect(resolve([])).toBe('none');
    expect(resolve([['a', 'b']])).toBe('none');
  });

  it('is the end of a chain', () => {
    expect(
      resolve([
        ['b', 'a'],
        ['c', 'b'],
        ['d', 'c'],
      ]),
    ).toEqual({ documentId: 'd' });
  });

  it('is the one end of two ways', () => {
    expect(
      resolve([
        ['b', 'a'],
        ['c', 'a'],
        ['d', 'b'],
        ['d', 'c'],
      ]),
    ).toEqual({ documentId: 'd' });
  });

  it('is ambiguous for two ends', () => {
    expect(
      resolve([
        ['b', 'a'],
        ['c', 'a'],
      ]),
    ).toBe('ambiguous');
    expect(
      resolve([
        ['b', 'a'],
        ['c', 'b'],
        ['d', 'b'],
      ]),
    ).toBe('ambiguous');
  });

  it('is ambiguous for a circle, with or without a way out', () => {
    expect(
      resolve([
        ['b', 'a'],
        ['a', 'b'],
      ]),
    ).toBe('ambiguous');
    expect(resolve([['a', 'a']])).toBe('ambiguous');
    expect(
      resolve([
        ['b', 'a'],
        ['c', 'b'],
        ['b', 'c'],
        ['d', 'c'],
      ]),
    ).toBe('ambiguous');
  });

  it.each(['draft', 'proposed', 'withdrawn', 'rejected'] as const)('ignores a successor that is %s', (status) => {
    expect(resolve([['b', 'a']], 'a', [{ documentId: 'b', status }])).toBe('none');
  });

  it.each(['approved', 'active', 'archived'] as const)('follows a successor that is %s', (status) => {
    expect(resolve([['b', 'a']], 'a', [{ documentId: 'b', status }])).toEqual({ documentId: 'b' });
  });

  it('ignores a successor that is not valid yet, or no longer', () => {
    expect(resolve([['b', 'a']], 'a', [{ documentId: 'b', validFrom: '2026-06-02T00:00:00Z' }])).toBe('none');
    expect(resolve([['b', 'a']], 'a', [{ documentId: 'b', validUntil: '2026-06-01T00:00:00Z' }])).toBe('none');
    expect(resolve([['b', 'a']], 'a', [{ documentId: 'b', validFrom: '2026-06-01T00:00:00Z' }])).toEqual({
      documentId: 'b',
    });
  });

  it('takes a long chain', () => {
    const pairs = Array.from({ length: 9000 }, (_, index): [string, string] => [`n${index + 1}`, `n${index}`]);
    expect(resolve([['n0', 'a'], ...pairs])).toEqual({ documentId: 'n9000' });
  });
});

describe('isValidAt', () => {
  it('holds for what declares nothing', () => {
    expect(isValidAt(undefined, AT)).toBe(true);
  });
});
