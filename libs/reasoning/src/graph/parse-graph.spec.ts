import { describe, expect, it } from '@jest/globals';
import { IDENTITY, makeGraph } from '../testing/scripted-ports.js';
import { fingerprintGraph } from './fingerprint-graph.js';
import type { GraphProjection } from './graph-projection.js';
import { CorpusMovedError, parseGraph } from './parse-graph.js';
import { projectGraph } from './project-graph.js';

const asked = { tenantId: 'tenant-a', generation: {} };
const graph = makeGraph(['c1', 'c2']);
/** With the fingerprint that belongs to it. */
const sign = (over: Partial<GraphProjection>): GraphProjection => {
  const changed = { ...graph, ...over };
  return { ...changed, graphFingerprint: fingerprintGraph(changed) };
};

describe('parseGraph', () => {
  it('accepts a graph of the evidence', () => {
    expect(parseGraph(graph, asked, IDENTITY)).toEqual(graph);
  });

  it.each([
    ['no object', 'graph', 'output'],
    ['an unknown key', { ...graph, extra: 1 }, 'unrecognized_keys'],
    ['an inferred edge', sign({ edges: [{ ...graph.edges[0]!, origin: 'inferred' as never }] }), 'edges.0.origin'],
    ['two nodes with one id', sign({ nodes: [...graph.nodes, graph.nodes[0]!] }), 'one id'],
    ['an edge from nowhere', sign({ edges: [{ ...graph.edges[0]!, fromNodeId: 'x' }] }), 'not there'],
    ['an edge to nowhere', sign({ edges: [{ ...graph.edges[0]!, toNodeId: 'x' }] }), 'not there'],
    [
      'one bad edge among good ones',
      sign({ edges: [...graph.edges, { ...graph.edges[0]!, toNodeId: 'x' }] }),
      'not there',
    ],
    [
      'a node changed after it was signed',
      { ...graph, nodes: [{ ...graph.nodes[0]!, title: 'x' }, ...graph.nodes.slice(1)] },
      'fingerprint',
    ],
    ['a cut that was hidden after it was signed', { ...sign({ cut: 'standing' }), cut: null }, 'fingerprint'],
    [
      'a rejection that was added after it was signed',
      { ...graph, dismissedProposalIds: ['00000000-0000-8000-8000-000000000000'] },
      'fingerprint',
    ],
    [
      'an approval that was added after it was signed',
      { ...graph, approvedProposalIds: ['00000000-0000-8000-8000-000000000000'] },
      'fingerprint',
    ],
    ['a cut of another kind', { ...graph, cut: 'some' }, 'cut'],
    ['an edge left out after it was signed', { ...graph, edges: graph.edges.slice(1) }, 'fingerprint'],
  ])('refuses %s', (_what, output, rule) => {
    expect(() => parseGraph(output, asked, IDENTITY)).toThrow(
      expect.objectContaining({ kind: 'malformed_output', message: expect.stringContaining(rule) }),
    );
  });

  it('refuses a graph signed for another identity', () => {
    const moved = {
      ...makeGraph(['c1'], { identity: { ...IDENTITY, generationId: 'generation-2' } }),
      identity: IDENTITY,
    };
    expect(() => parseGraph(moved, asked, IDENTITY)).toThrow(/fingerprint/);
  });

  it('checks the request where the evidence says nothing, and the evidence where the request says nothing', () => {
    const unknown = { ...IDENTITY, corpusFingerprint: null };
    const other = makeGraph(['c1'], { identity: { ...IDENTITY, corpusFingerprint: 'corpus-2' } });
    expect(() => parseGraph(other, { ...asked, generation: { corpusFingerprint: 'corpus-1' } }, unknown)).toThrow();
    expect(() => parseGraph(other, asked, IDENTITY)).toThrow();
    expect(() => parseGraph(other, asked, unknown)).not.toThrow();
  });
});

describe('CorpusMovedError', () => {
  const moved = { ...IDENTITY, corpusFingerprint: 'corpus-2' };

  it('tells a corpus that changed since the evidence was read from any other difference', () => {
    expect(() => parseGraph(makeGraph(['c1'], { identity: moved }), asked, IDENTITY)).toThrow(CorpusMovedError);
    const other = makeGraph(['c1'], { identity: { ...moved, pipelineFingerprint: 'pipeline-2' } });
    expect(() => parseGraph(other, asked, IDENTITY)).toThrow(/pipelineFingerprint of the graph/);
    expect(() => parseGraph(other, asked, IDENTITY)).not.toThrow(CorpusMovedError);
  });

  it('is none where the request asked for the corpus of the evidence, nor for a graph that is wrong in itself', () => {
    const pinned = { ...asked, generation: { corpusFingerprint: 'corpus-1' } };
    const graphOfMoved = makeGraph(['c1'], { identity: moved });
    expect(() => parseGraph(graphOfMoved, pinned, IDENTITY)).not.toThrow(CorpusMovedError);
    expect(() => parseGraph(graphOfMoved, pinned, IDENTITY)).toThrow(/corpusFingerprint of the graph/);
    expect(() => parseGraph({ ...graphOfMoved, edges: [] }, asked, IDENTITY)).toThrow(/fingerprint is not/);
  });
});

describe('projectGraph', () => {
  const relation = {
    relationId: 'r1',
    kind: 'supersedes' as const,
    fromDocumentId: 'new',
    toDocumentId: 'old',
    origin: 'declared' as const,
    declaredAt: null,
  };
  const document = {
    documentId: 'old',
    title: 'Old',
    status: null,
    validFrom: null,
    validUntil: null,
    sourceDate: null,
  };
  const evidence = [{ chunkId: 'c1', documentId: 'old', documentTitle: 'Old' }];

  it('has a node for each document and passage, and for what only a relation names', () => {
    const projected = projectGraph({ identity: IDENTITY, documents: [document], relations: [relation], evidence });
    expect(projected.nodes.map(({ nodeId, kind }) => [nodeId, kind])).toEqual([
      ['old', 'document'],
      ['c1', 'evidence'],
      ['new', 'document'],
    ]);
    expect(projected.edges.map(({ kind, fromNodeId, toNodeId }) => [kind, fromNodeId, toNodeId])).toEqual([
      ['contains', 'old', 'c1'],
      ['supersedes', 'new', 'old'],
    ]);
    expect(parseGraph(projected, asked, IDENTITY)).toEqual(projected);
  });

  it('has one fingerprint whatever the order, and another for any other content', () => {
    const second = { ...document, documentId: 'new', title: 'New' };
    const make = (documents: (typeof document)[], relations = [relation]) =>
      projectGraph({ identity: IDENTITY, documents, relations, evidence }).graphFingerprint;
    expect(make([document, second])).toBe(make([second, document]));
    expect(make([document, second])).not.toBe(make([document, { ...second, title: 'Newer' }]));
    expect(make([document, second])).not.toBe(make([document, second], []));
  });
});
