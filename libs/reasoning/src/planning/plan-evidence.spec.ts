import { describe, expect, it } from '@jest/globals';
import { projectGraph, type DeclaredRelation, type GraphDocument } from '../graph/project-graph.js';
import { makeDocuments, makeRelations } from '../testing/make-declarations.js';
import { IDENTITY, makeHit, makeItems } from '../testing/scripted-ports.js';
import { planEvidence } from './plan-evidence.js';
import { DEFAULT_BUDGET, type ReasoningBudget } from './reasoning-budget.js';
import { RunRecorder } from './run-recorder.js';

type Link = [kind: DeclaredRelation['kind'], from: string, to: string];

/** Evidence of documents a and b. */
function plan(
  links: Link[],
  over: {
    documents?: (Partial<GraphDocument> & { documentId: string })[];
    budget?: Partial<ReasoningBudget>;
    passages?: [string, string][];
    cut?: 'standing' | 'surroundings';
    /** Passages that the graph knows of; else all. */
    known?: string[];
  } = {},
) {
  const passages = over.passages ?? [
    ['c1', 'a'],
    ['c2', 'b'],
  ];
  const items = makeItems(...passages.map(([chunkId, documentId]) => makeHit(chunkId, { documentId })));
  const graph = projectGraph({
    identity: IDENTITY,
    documents: makeDocuments(over.documents ?? []),
    relations: makeRelations(
      links.map(([kind, fromDocumentId, toDocumentId]) => ({ kind, fromDocumentId, toDocumentId })),
    ),
    evidence: items.filter(({ chunkId }) => over.known?.includes(chunkId) ?? true),
    cut: over.cut ?? null,
  });
  const recorder = new RunRecorder({ ...DEFAULT_BUDGET, ...over.budget }, () => 0);
  const result = planEvidence({ items, graph, at: Date.parse('2026-06-01T00:00:00Z'), recorder });
  const visits = recorder.steps.map((step) => `${step.nodeId}:${step.depth}`);
  return { ...result, visits, steps: recorder.steps, used: recorder.used };
}

describe('planEvidence', () => {
  it('reads each document of the evidence once', () => {
    const { visits, demoted, gaps, steps } = plan([], {
      passages: [
        ['c1', 'a'],
        ['c2', 'a'],
        ['c3', 'b'],
      ],
    });
    expect(visits).toEqual(['a:0', 'b:0']);
    expect({ demoted, gaps }).toEqual({ demoted: [], gaps: [] });
    expect(steps.map((step) => step.stopReason)).toEqual(['no_neighbours', 'no_neighbours']);
  });

  it('takes nothing for read when a bound left out what may have replaced an item', () => {
    const unfinished = { kind: 'unfinished_planning', name: 'graph_cut' };
    const standing = plan([['supersedes', 'b', 'a']], { cut: 'standing' });
    expect(standing).toMatchObject({ unread: 'graph_cut', demoted: [], gaps: [unfinished] });
    const surroundings = plan([['supersedes', 'b', 'a']], { cut: 'surroundings' });
    expect(surroundings).toMatchObject({ unread: null, demoted: [{ chunkId: 'c1' }], gaps: [unfinished] });
  });

  it('tells the bound of the budget before that of the graph', () => {
    const { gaps } = plan([['references', 'a', 'x']], { cut: 'surroundings', budget: { maxSteps: 2 } });
    expect(gaps).toEqual([expect.objectContaining({ name: 'max_steps' })]);
  });

  it('takes out what a retrieved document replaced', () => {
    const { demoted, gaps } = plan([['supersedes', 'b', 'a']]);
    expect(demoted).toEqual([{ chunkId: 'c1', reason: 'declared_superseded' }]);
    expect(gaps).toEqual([]);
  });

  it('names a replacement that was not retrieved', () => {
    const { demoted, gaps } = plan([
      ['supersedes', 'x', 'a'],
      ['supersedes', 'y', 'x'],
    ]);
    expect(demoted).toEqual([{ chunkId: 'c1', reason: 'declared_superseded' }]);
    expect(gaps).toMatchObject([{ kind: 'unretrieved_successor', name: 'y' }]);
  });

  it('marks ambiguous replacement', () => {
    const { demoted } = plan([
      ['supersedes', 'x', 'a'],
      ['supersedes', 'y', 'a'],
    ]);
    expect(demoted).toEqual([{ chunkId: 'c1', reason: 'declared_ambiguous' }]);
  });

  it.each(['superseded', 'withdrawn', 'rejected'] as const)('takes out a document that calls itself %s', (status) => {
    expect(plan([], { documents: [{ documentId: 'a', status }] }).demoted).toEqual([
      { chunkId: 'c1', reason: 'declared_status' },
    ]);
  });

  it.each(['draft', 'approved', 'active', 'deprecated', 'archived'] as const)(
    'keeps a document that is %s',
    (status) => {
      expect(plan([], { documents: [{ documentId: 'a', status }] }).demoted).toEqual([]);
    },
  );

  it('takes out what is not valid at the moment', () => {
    const documents = [
      { documentId: 'a', validUntil: '2026-06-01T00:00:00Z' },
      { documentId: 'b', validFrom: '2026-06-01T00:00:00Z' },
    ];
    expect(plan([], { documents }).demoted).toEqual([{ chunkId: 'c1', reason: 'declared_validity' }]);
  });

  it('reads replacements depth first before the surroundings', () => {
    const { visits } = plan([
      ['references', 'a', 'p'],
      ['supersedes', 'x', 'a'],
      ['supersedes', 'y', 'x'],
      ['reply_of', 'q', 'p'],
      ['same_thread', 'b', 's'],
    ]);
    expect(visits).toEqual(['a:0', 'x:1', 'y:2', 'b:0', 'p:1', 'q:2', 's:1']);
  });

  it('goes to the nearest kind of surroundings first, and on in the order of the graph', () => {
    const { visits, steps } = plan(
      [
        ['same_thread', 'a', 't'],
        ['reply_of', 'a', 'p'],
        ['references', 'a', 'g'],
        ['references', 'a', 'f'],
        ['supersedes', 'a', 's'],
        ['conflicts_with', 'a', 'k'],
        ['references', 'k', 'n'],
        ['references', 'k', 'm'],
      ],
      { passages: [['c1', 'a']] },
    );
    expect(visits).toEqual(['a:0', 'k:1', 'n:2', 'm:2', 's:1', 'g:1', 'f:1', 'p:1', 't:1']);
    expect(steps.slice(0, 3).map(({ count, stopReason }) => [count, stopReason])).toEqual([
      [6, null],
      [3, null],
      [1, null],
    ]);
  });

  it('reads two replacements in the order of the graph', () => {
    const { visits } = plan([
      ['supersedes', 'y', 'a'],
      ['supersedes', 'x', 'a'],
    ]);
    expect(visits).toEqual(['a:0', 'y:1', 'x:1', 'b:0']);
  });

  it('has no neighbour in itself', () => {
    const { steps } = plan([['same_thread', 'a', 'a']]);
    expect(steps[0]).toMatchObject({ nodeId: 'a', count: 0, stopReason: 'no_neighbours' });
  });

  it('keeps what the graph does not know of', () => {
    expect(plan([], { known: ['c1'] }).demoted).toEqual([]);
  });

  it('says which bound ended the surroundings, and still judges the evidence', () => {
    const { visits, gaps, demoted, unread } = plan(
      [
        ['references', 'a', 'p'],
        ['supersedes', 'b', 'a'],
      ],
      {
        budget: { maxGraphNodes: 2 },
      },
    );
    expect(visits).toEqual(['a:0', 'b:1', 'p:1']);
    expect(unread).toBeNull();
    expect(gaps).toMatchObject([{ kind: 'unfinished_planning', name: 'max_graph_nodes' }]);
    expect(demoted).toHaveLength(1);
  });

  it('tells that the standing of an item is unread when a bound is met before it', () => {
    const { unread, demoted, used } = plan([['supersedes', 'x', 'a']], { budget: { maxSteps: 2 } });
    expect(unread).toBe('max_steps');
    expect(demoted).toEqual([]);
    expect(used).toMatchObject({ steps: 2, graphNodes: 2 });
  });

  it('ends in a circle of relations', () => {
    const { visits } = plan([
      ['references', 'a', 'b'],
      ['references', 'b', 'a'],
      ['same_thread', 'a', 'a'],
    ]);
    expect(visits).toEqual(['a:0', 'b:0']);
  });
});
