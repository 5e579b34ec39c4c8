import { describe, expect, it } from '@jest/globals';
import type { EvidenceItem } from '../evidence/evidence-bundle.js';
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

  describe('proposals', () => {
    const [one, two] = items.map(({ text }) => text) as [string, string];
    const VALUES: Record<string, string> = { c1: '100 requests', c2: '120 requests' };
    /** Of sides in this order: a passage's id, what is quoted of it, and the value, if not its own. */
    const propose = (
      proposalId: string,
      ...sides: [chunkId: string, quotation: string, value?: string][]
    ): InferenceProposal => {
      const { claims, ...rest } = makeProposal(sides[0]?.[0] ?? '', sides[1]?.[0] ?? '', { proposalId });
      const quoted = claims.map((claim, side) => {
        const [chunkId = '', quotation = '', value = VALUES[chunkId] ?? ''] = sides[side] ?? [];
        return { ...claim, quotation, value };
      });
      return { ...rest, claims: quoted as typeof claims };
    };
    const detect = (evidence: readonly EvidenceItem[], ...proposals: InferenceProposal[]) =>
      detectContradictions({ items: evidence, outdated: [], graph: null, proposals, at: AT });
    const idsOf = (...proposals: InferenceProposal[]) => detect(items, ...proposals).map((each) => each.proposalId);

    it('name what they found too, in either order, with more or less of a sentence and of a value', () => {
      const named = [
        propose('p1', ['c2', two], ['c1', one]),
        propose('p1', ['c1', one], ['c2', two]),
        propose('p1', ['c2', '120  requests.'], ['c1', `Note: ${one}`]),
        propose('p1', ['c1', one, '100'], ['c2', two, 'now  120 requests']),
      ];
      for (const proposal of named)
        expect(detect(items, proposal)).toMatchObject([
          { left: { chunkId: 'c1', value: '100 requests' }, right: { chunkId: 'c2' }, proposalId: 'p1' },
        ]);
    });

    it.each([
      ['another sentence on the right', propose('p1', ['c1', one], ['c2', 'Keys expire.'])],
      ['another sentence on the left', propose('p1', ['c1', 'Keys expire.'], ['c2', two])],
      ['another sentence on the right, reversed', propose('p1', ['c2', 'Keys expire.'], ['c1', one])],
      ['another sentence on the left, reversed', propose('p1', ['c2', two], ['c1', 'Keys expire.'])],
      ['another value on the right', propose('p1', ['c1', one], ['c2', two, '20 requests'])],
      ['another value on the left', propose('p1', ['c1', one, '1100 requests'], ['c2', two])],
      ['another kind', { ...propose('p1', ['c1', one], ['c2', two]), kind: 'conflicting_date' as const }],
    ])('are findings of their own with %s', (_what, proposal) => {
      expect(idsOf(proposal)).toEqual([null, 'p1']);
    });

    it('are findings of their own when they are the second of the same', () => {
      const same = [propose('p1', ['c1', one], ['c2', two]), propose('p9', ['c2', two], ['c1', one])] as const;
      expect(idsOf(...same)).toEqual(['p1', 'p9']);
      // The one that quotes it exactly names it, whichever comes first.
      const part = propose('p9', ['c2', '120 requests.'], ['c1', one]);
      expect(idsOf(part, same[0])).toEqual(['p1', 'p9']);
      expect(idsOf(same[0], part)).toEqual(['p1', 'p9']);
    });

    it('name what they found whatever the blanks, in the passages as in the proposals', () => {
      const spaced = items.map((item) => ({ ...item, text: item.text.replace(' API', '  API') }));
      const [left, right] = spaced.map(({ text }) => text) as [string, string];
      const part = propose('p9', ['c2', '120 requests.'], ['c1', '100 requests.']);
      for (const [evidence, proposal] of [
        [spaced, propose('p1', ['c1', one], ['c2', two])],
        [items, propose('p1', ['c1', left, '100  requests'], ['c2', right, '120  requests'])],
      ] as const) {
        expect(detect(evidence, proposal).map(({ proposalId }) => proposalId)).toEqual(['p1']);
        expect(detect(evidence, part, proposal).map(({ proposalId }) => proposalId)).toEqual(['p1', 'p9']);
        expect(detect(evidence, part).map(({ proposalId }) => proposalId)).toEqual(['p9']);
      }
      const [refused, granted] = ['The request of Ada was not  approved.', 'The request of Ada was approved.'];
      const states = makeItems(makeHit('c1', { text: refused }), makeHit('c2', { text: granted }));
      const kind = 'conflicting_status' as const;
      const exact = { ...propose('p1', ['c1', refused, 'not approved'], ['c2', granted, 'approved']), kind };
      const shorter = { ...propose('p9', ['c1', 'not approved.', 'not approved'], ['c2', granted, 'approved']), kind };
      expect(detect(states, shorter).map(({ proposalId }) => proposalId)).toEqual(['p9']);
      expect(detect(states, shorter, exact).map(({ proposalId }) => proposalId)).toEqual(['p1', 'p9']);
      const longer = propose('p1', ['c1', `Note: ${left}`, '100  requests'], ['c2', `Note: ${right}`, '120  requests']);
      expect(idsOf(longer)).toEqual(['p1']);
      expect(detect(spaced, longer).map(({ proposalId }) => proposalId)).toEqual(['p1']);
    });

    it('name the one with their values, of two that one pair of sentences holds', () => {
      const price = (starter: number, team: number): string =>
        `The Starter plan costs ${starter} euros, the Team plan costs ${team} euros.`;
      const [left, right] = [price(19, 49), price(24, 59)];
      const priced = makeItems(makeHit('c1', { text: left }), makeHit('c2', { text: right }));
      const named = (...proposals: InferenceProposal[]) =>
        detect(priced, ...proposals).map((each) => [each.left.value, each.proposalId]);
      expect(named()).toEqual([
        ['19 euros', null],
        ['49 euros', null],
      ]);
      const team = propose('p1', ['c1', left, '49 euros'], ['c2', right, '59 euros']);
      const starter = propose('p2', ['c2', right, '24 euros'], ['c1', left, '19 euros']);
      expect(named(team)).toEqual([
        ['19 euros', null],
        ['49 euros', 'p1'],
      ]);
      expect(named(team, starter)).toEqual([
        ['19 euros', 'p2'],
        ['49 euros', 'p1'],
      ]);
    });

    it('name the one with their sentences, of two with the same values', () => {
      const limit = (requests: number): string[] =>
        ['search', 'upload'].map((name) => `The rate limit of the ${name} API is ${requests} requests.`);
      const [old, current] = [limit(100), limit(120)];
      const limited = makeItems(makeHit('c1', { text: old.join(' ') }), makeHit('c2', { text: current.join(' ') }));
      const found = detect(limited, propose('p1', ['c1', old[1]!], ['c2', current[1]!]));
      expect(found.map((each) => [each.left.quotation, each.proposalId])).toEqual([
        [old[0], null],
        [old[1], 'p1'],
      ]);
    });

    it('name the one of their passages, of two with the same words', () => {
      const repeated = [...items, { ...items[0], chunkId: 'c3', documentId: 'document-of-c3' }];
      for (const quotation of [one, '100 requests.']) {
        const found = detect(repeated, propose('p1', ['c2', two], ['c3', quotation, '100 requests']));
        expect(found.map(({ right, proposalId }) => [right.chunkId, proposalId])).toEqual([
          ['c2', null],
          ['c3', 'p1'],
        ]);
      }
    });
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
