import { describe, expect, it } from '@jest/globals';
import { projectGraph, type DeclaredRelation, type GraphDocument } from '../graph/project-graph.js';
import { identifyProposal } from '../proposals/identify-proposal.js';
import type { InferenceProposal } from '../proposals/inference-proposal.js';
import { makeDocuments, makeRelations } from '../testing/make-declarations.js';
import { IDENTITY, makeHit, makeItems, makeProposal } from '../testing/scripted-ports.js';
import { detectContradictions } from './detect-contradictions.js';

const AT = Date.parse('2026-06-01T00:00:00Z');
const items = makeItems(
  makeHit('c1', { text: 'The rate limit of the API is 100 requests.', sourceDate: '2026-01-01T00:00:00Z' }),
  makeHit('c2', { text: 'The rate limit of the API is 120 requests.', sourceDate: '2026-05-01T00:00:00Z', score: 0.9 }),
);

function settled(
  relations: Partial<DeclaredRelation>[],
  documents: (Partial<GraphDocument> & { documentId: string })[] = [],
) {
  const graph = projectGraph({
    identity: IDENTITY,
    documents: makeDocuments(documents),
    relations: makeRelations(relations),
    evidence: items,
  });
  const found = detectContradictions({ items, outdated: [], graph, proposals: [], at: AT });
  expect(found).toHaveLength(1);
  return found[0]?.settledBy;
}

describe('detectContradictions', () => {
  it('cites and dates both sides', () => {
    expect(detectContradictions({ items, outdated: [], graph: null, proposals: [], at: AT })).toEqual([
      {
        kind: 'conflicting_value',
        subject: 'The rate limit of the API is',
        left: {
          chunkId: 'c1',
          documentId: 'document-of-c1',
          documentTitle: 'Title of c1',
          quotation: 'The rate limit of the API is 100 requests.',
          value: '100 requests',
          sourceDate: '2026-01-01T00:00:00Z',
        },
        right: {
          chunkId: 'c2',
          documentId: 'document-of-c2',
          documentTitle: 'Title of c2',
          quotation: 'The rate limit of the API is 120 requests.',
          value: '120 requests',
          sourceDate: '2026-05-01T00:00:00Z',
        },
        settledBy: null,
        proposalId: null,
      },
    ]);
  });

  it('settles nothing by date, score, reference or a reviewed conflict', () => {
    expect(settled([])).toBeNull();
    for (const kind of ['references', 'reply_of', 'same_thread', 'conflicts_with'] as const) {
      expect(settled([{ kind }])).toBeNull();
    }
  });

  it('is settled by a supersession, direct or over others, in either direction', () => {
    expect(settled([{}])).toEqual({ by: 'supersedes', relationId: 'r0', prevails: 'right' });
    const [left, right] = ['document-of-c1', 'document-of-c2'];
    expect(settled([{ fromDocumentId: left, toDocumentId: right }])).toMatchObject({ prevails: 'left' });
    expect(settled([{ toDocumentId: 'x' }, { fromDocumentId: 'x' }])).toEqual({
      by: 'supersedes',
      relationId: 'r1',
      prevails: 'right',
    });
    expect(settled([{}, { fromDocumentId: left, toDocumentId: right }])).toBeNull();
  });

  it('is settled by validity and by status, of one side alone', () => {
    expect(settled([], [{ documentId: 'document-of-c1', validUntil: '2026-05-01T00:00:00Z' }])).toEqual({
      by: 'validity',
      relationId: 'document-of-c1',
      prevails: 'right',
    });
    expect(settled([], [{ documentId: 'document-of-c2', status: 'deprecated' }])).toEqual({
      by: 'status',
      relationId: 'document-of-c2',
      prevails: 'left',
    });
    const both = ['document-of-c1', 'document-of-c2'].map((documentId) => ({
      documentId,
      status: 'archived' as const,
    }));
    expect(settled([], both)).toBeNull();
    expect(settled([], [{ documentId: 'document-of-c1', status: 'approved' }])).toBeNull();
  });

  it('is settled by no circle, and looks through it once', () => {
    const circle = [
      { fromDocumentId: 'x', toDocumentId: 'document-of-c1' },
      { fromDocumentId: 'y', toDocumentId: 'x' },
      { fromDocumentId: 'x', toDocumentId: 'y' },
    ];
    expect(settled(circle)).toBeNull();
  });

  it('keeps each pair of passages apart', () => {
    const third = { ...items[0], chunkId: 'c3', documentId: 'document-of-c3' };
    const more = {
      ...items[1]!,
      chunkId: 'c4',
      documentId: 'document-of-c4',
      text: 'The rate limit of the API is 140 requests.',
    };
    const found = detectContradictions({
      items: [...items, third, more],
      outdated: [],
      graph: null,
      proposals: [],
      at: AT,
    });
    const pairs = found.map(({ left, right }) => `${left.chunkId} ${right.chunkId}`).sort();
    expect(pairs).toEqual(['c1 c2', 'c1 c4', 'c2 c3', 'c2 c4', 'c3 c4']);
  });

  it('names the proposal that found the same, and adds what only a proposal found', () => {
    const { claims } = makeProposal('c2', 'c1');
    const quoting = (left: string, right: string, proposalId: string) =>
      makeProposal('c2', 'c1', {
        claims: [
          { ...claims[0], quotation: left },
          { ...claims[1], quotation: right },
        ],
        proposalId,
      });
    const [one, two] = items.map(({ text }) => text);
    const detect = (...proposals: InferenceProposal[]) =>
      detectContradictions({ items, outdated: [], graph: null, proposals, at: AT });
    const same = quoting(two!, one!, 'p1');
    expect(detect(same, { ...same, proposalId: 'p9' })).toMatchObject([{ left: { chunkId: 'c1' }, proposalId: 'p1' }]);
    expect(detect(quoting('120  requests.', `Note: ${one}`, 'p1'))).toMatchObject([{ proposalId: 'p1' }]);
    const reversed = { ...same, claims: [same.claims[1], same.claims[0]] as typeof claims };
    expect(detect(reversed)).toMatchObject([{ left: { chunkId: 'c1' }, proposalId: 'p1' }]);
    // Something else that the same passages say.
    expect(detect(quoting(two!, 'The limit', 'p1'), quoting('Keys expire.', one!, 'p2'))).toMatchObject([
      { proposalId: null },
      { proposalId: 'p1' },
      { proposalId: 'p2' },
    ]);
    const inOrder = (left: string, right: string) => {
      const { claims: sides, ...rest } = quoting(right, left, 'p1');
      return { ...rest, claims: [sides[1], sides[0]] as typeof claims };
    };
    for (const half of [inOrder(one!, 'Keys expire.'), inOrder('Keys expire.', two!)])
      expect(detect(half)).toMatchObject([{ proposalId: null }, { proposalId: 'p1' }]);
    const other = { ...same, kind: 'conflicting_date' as const, proposalId: 'p2' };
    expect(detect(other)).toMatchObject([
      { kind: 'conflicting_value', proposalId: null },
      { kind: 'conflicting_date', proposalId: 'p2' },
    ]);
    const repeated = [...items, { ...items[0], chunkId: 'c3', documentId: 'document-of-c3' }];
    const ofThird = makeProposal('c2', 'c3', {
      claims: [same.claims[0], { ...same.claims[1], evidenceId: 'c3', documentId: 'document-of-c3' }],
    });
    const found = detectContradictions({ items: repeated, outdated: [], graph: null, proposals: [ofThird], at: AT });
    expect(found.map(({ right, proposalId }) => [right.chunkId, proposalId])).toEqual([
      ['c2', null],
      ['c3', 'proposal-1'],
    ]);
  });

  const old = makeHit('c0', {
    text: 'The rate limit of the API is 80 requests.',
    verdict: 'superseded',
    sourceDate: '2025-01-01T00:00:00Z',
  });
  const graphOver = (relations: Partial<DeclaredRelation>[], dismissedProposalIds: string[] = []) =>
    projectGraph({
      identity: IDENTITY,
      documents: [],
      relations: makeRelations(relations.map((each) => ({ toDocumentId: 'document-of-c0', ...each }))),
      evidence: items,
      dismissedProposalIds,
    });
  const only = items.slice(1);

  it('shows an outdated passage as the losing side of what a relation settled', () => {
    const found = detectContradictions({ items: only, outdated: [old], graph: graphOver([{}]), proposals: [], at: AT });
    expect(found).toMatchObject([
      {
        left: { chunkId: 'c2', value: '120 requests' },
        right: { chunkId: 'c0', value: '80 requests', sourceDate: '2025-01-01T00:00:00Z' },
        settledBy: { by: 'supersedes', relationId: 'r0', prevails: 'left' },
        proposalId: null,
      },
    ]);
  });

  it.each([
    ['nothing settles it', graphOver([])],
    ['it would prevail', graphOver([{ fromDocumentId: 'document-of-c0', toDocumentId: 'document-of-c2' }])],
    ['there is no graph', null],
  ])('shows no outdated passage when %s', (_what, graph) => {
    expect(detectContradictions({ items: only, outdated: [old], graph, proposals: [], at: AT })).toEqual([]);
  });

  it('finds what stands behind many that a person rejected', () => {
    const many = Array.from({ length: 8 }, (_, index) => ({
      ...items[0],
      chunkId: `m${index}`,
      documentId: `document-of-m${index}`,
      text: `The rate limit of the API is ${100 + 20 * index} requests.`,
    }));
    const detect = (graph: ReturnType<typeof graphOver>) =>
      detectContradictions({ items: many, outdated: [], graph, proposals: [], at: AT });
    const first = detect(graphOver([]));
    expect(first).toHaveLength(20);
    const ids = first.map(({ kind, left, right }) => identifyProposal(IDENTITY.tenantId, kind, [left, right]));
    expect(detect(graphOver([], ids))).toHaveLength(8);
  });

  it('shows what a relation settled behind many contradictions of the items among themselves', () => {
    const many = Array.from({ length: 8 }, (_, index) => ({
      ...items[1]!,
      chunkId: `m${index}`,
      documentId: `document-of-m${index}`,
      text: `The rate limit of the API is ${100 + 20 * index} requests.`,
    }));
    const graph = graphOver([{ fromDocumentId: 'document-of-m7' }]);
    const found = detectContradictions({ items: many, outdated: [old], graph, proposals: [], at: AT });
    expect(found.filter(({ settledBy }) => settledBy !== null)).toMatchObject([
      { left: { chunkId: 'm7' }, right: { chunkId: 'c0' } },
    ]);
  });

  it('shows no two outdated passages, and the items’ own contradictions once', () => {
    const older = {
      ...old,
      chunkId: 'c9',
      documentId: 'document-of-c9',
      text: 'The rate limit of the API is 70 requests.',
    };
    const settling = graphOver([{ fromDocumentId: 'document-of-c0', toDocumentId: 'document-of-c9' }]);
    const input = { items, outdated: [old, older], graph: settling, proposals: [], at: AT };
    expect(detectContradictions(input)).toMatchObject([{ left: { chunkId: 'c1' }, right: { chunkId: 'c2' } }]);
  });

  it('leaves out what a person rejected', () => {
    const sides = items.map(({ documentId, text }) => ({ documentId, quotation: text }));
    const id = identifyProposal('tenant-a', 'conflicting_value', [sides[0]!, sides[1]!]);
    const judge = (dismissed: string[]) =>
      detectContradictions({ items, outdated: [], graph: graphOver([], dismissed), proposals: [], at: AT });
    expect(judge(['another'])).toHaveLength(1);
    const proposal = makeProposal('c1', 'c2', { kind: 'conflicting_date' });
    const dated = identifyProposal('tenant-a', 'conflicting_date', proposal.claims);
    const judgeProposed = (dismissed: string[]) =>
      detectContradictions({ items, outdated: [], graph: graphOver([], dismissed), proposals: [proposal], at: AT });
    expect(judgeProposed(['another'])).toHaveLength(2);
    expect(judgeProposed([dated])).toMatchObject([{ kind: 'conflicting_value' }]);
    expect(judge(['another', id])).toEqual([]);
  });

  it('leaves out a proposal one side of which is no item', () => {
    const proposals = [makeProposal('c1', 'c9', { kind: 'conflicting_date' })];
    expect(detectContradictions({ items, outdated: [], graph: null, proposals, at: AT })).toHaveLength(1);
  });
});
