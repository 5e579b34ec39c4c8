import { describe, expect, it } from '@jest/globals';
import { projectGraph, type DeclaredRelation } from '../graph/project-graph.js';
import { IDENTITY, makeGraph, makeHit, makeItems, makeProposal } from '../testing/scripted-ports.js';
import { MOST_PROPOSALS } from './inference-proposal.js';
import { parseProposals } from './parse-proposals.js';
import { createRuleBasedProposalProvider, proposeConflicts } from './propose-conflicts.js';

describe('parseProposals', () => {
  const graph = makeGraph(['c1', 'c2', 'c3']);
  const evidence = makeItems(makeHit('c1'), makeHit('c2'));
  const parse = (output: unknown) => parseProposals(output, graph, evidence);
  const proposal = makeProposal('c1', 'c2');
  const [left, right] = proposal.claims;

  it('accepts a list and a report', () => {
    expect(parse([proposal])).toEqual({ proposals: [proposal], reported: [] });
    const report = { proposals: [proposal], failures: [{ kind: 'timeout', message: 'late' }] };
    expect(parse(report)).toEqual({ proposals: [proposal], reported: ['timeout'] });
    expect(parse([])).toEqual({ proposals: [], reported: [] });
  });

  it('lets a source be a document, and quotes nothing that it cannot check', () => {
    const wide = makeProposal('c1', 'c3', { sourceEvidenceIds: ['c1', 'c3', 'document-of-c2'] });
    expect(parse([wide]).proposals).toEqual([wide]);
  });

  it('takes a quotation with other blanks', () => {
    const loose = { ...proposal, claims: [{ ...left, quotation: 'Text  of\nc1.' }, right] };
    expect(parse([loose]).proposals).toHaveLength(1);
  });

  it.each([
    ['no list', { proposal }, 'proposals'],
    ['null', null, 'output'],
    ['an unknown key', [{ ...proposal, answer: 'x' }], 'proposals.0'],
    ['a confidence above 1', [{ ...proposal, confidence: 1.1 }], 'confidence'],
    ['a confidence that is NaN', [{ ...proposal, confidence: NaN }], 'confidence'],
    ['one claim', [{ ...proposal, claims: [left] }], 'claims'],
    ['no source', [{ ...proposal, sourceEvidenceIds: [] }], 'sourceEvidenceIds'],
    ['another generation', [{ ...proposal, generationId: 'generation-2' }], 'generationId'],
    ['a source that is no node', [{ ...proposal, sourceEvidenceIds: ['c1', 'c2', 'x'] }], 'source evidence id'],
    ['the id of a passage', [{ ...proposal, proposalId: 'c3' }], 'its id'],
    ['the id of a document', [{ ...proposal, proposalId: 'document-of-c1' }], 'its id'],
    [
      'a claim of a document',
      [
        {
          ...proposal,
          sourceEvidenceIds: ['c1', 'c2', 'document-of-c1'],
          claims: [{ ...left, evidenceId: 'document-of-c1' }, right],
        },
      ],
      'names no evidence',
    ],
    [
      'a claim of another document’s passage',
      [{ ...proposal, claims: [{ ...left, documentId: 'document-of-c2' }, right] }],
      'names no evidence',
    ],
    ['a claim of nothing', [{ ...proposal, claims: [{ ...left, evidenceId: 'x' }, right] }], 'names no evidence'],
    ['a claim that is no source', [{ ...proposal, sourceEvidenceIds: ['c1'] }], 'no source'],
    [
      'a quotation that does not occur',
      [{ ...proposal, claims: [{ ...left, quotation: 'Text of c2.' }, right] }],
      'quotation',
    ],
    ['both claims of one passage', [{ ...proposal, claims: [left, left] }], 'one passage'],
    ['one id twice', [proposal, proposal], 'one id'],
    ['a failure that is none', { proposals: [], failures: [{ kind: 'bored', message: '' }] }, 'failures'],
  ])('refuses %s', (_what, output, rule) => {
    expect(() => parse(output)).toThrow(
      expect.objectContaining({ kind: 'malformed_output', message: expect.stringContaining(rule) }),
    );
  });

  it('refuses the id of a passage that only the evidence has', () => {
    expect(() =>
      parseProposals([{ ...makeProposal('c1', 'c3'), proposalId: 'c2' }], makeGraph(['c1', 'c3']), evidence),
    ).toThrow(/its id/);
  });

  it('accepts as many as the bound', () => {
    const most = Array.from({ length: MOST_PROPOSALS }, (_, index) =>
      makeProposal('c1', 'c2', { proposalId: `p${index}` }),
    );
    expect(parse(most).proposals).toHaveLength(MOST_PROPOSALS);
  });

  it('refuses more proposals than a person could look at, before it reads them', () => {
    const many = Array.from({ length: MOST_PROPOSALS + 1 }, () => 'x');
    expect(() => parse(many)).toThrow(expect.objectContaining({ kind: 'wrong_cardinality' }));
    expect(() => parse({ proposals: many, failures: [] })).toThrow(
      expect.objectContaining({ kind: 'wrong_cardinality' }),
    );
  });
});

describe('proposeConflicts', () => {
  const evidence = makeItems(
    makeHit('c1', { text: 'The public API rate limit is 100 requests per minute per API key.' }),
    makeHit('c2', { text: 'The public API rate limit is 120 requests per minute per API key.' }),
  );
  const graphWith = (...relations: DeclaredRelation[]) =>
    projectGraph({ identity: IDENTITY, documents: [], relations, evidence });
  const relation: DeclaredRelation = {
    relationId: 'r1',
    kind: 'references',
    fromDocumentId: 'document-of-c2',
    toDocumentId: 'document-of-c1',
    origin: 'declared',
    declaredAt: null,
  };

  it('proposes a conflict with both sides quoted, the same one each time', () => {
    const proposals = proposeConflicts(evidence, graphWith());
    expect(proposals).toMatchObject([
      {
        kind: 'conflicting_value',
        generationId: 'generation-1',
        claims: [
          { evidenceId: 'c1', documentId: 'document-of-c1', value: '100 requests' },
          { evidenceId: 'c2', documentId: 'document-of-c2', value: '120 requests' },
        ],
        sourceEvidenceIds: ['c1', 'c2'],
      },
    ]);
    expect(proposeConflicts(evidence, graphWith(relation))).toEqual(proposals);
  });

  it.each([
    ['conflicting_value', 'another value', 'The Team plan costs 49 euros.', 'The Team plan costs 59 euros.'],
    ['conflicting_date', 'another date', 'The audit is due on 1 May 2026.', 'The audit is due on 2 May 2026.'],
    ['conflicting_status', 'another state', 'The request of Ada was approved.', 'The request of Ada was rejected.'],
  ])('says of a %s that the documents state %s', (kind, said, left, right) => {
    const stated = makeItems(makeHit('c1', { text: left }), makeHit('c2', { text: right }));
    const graph = projectGraph({ identity: IDENTITY, documents: [], relations: [], evidence: stated });
    expect(proposeConflicts(stated, graph)).toMatchObject([
      { kind, explanation: `Two documents state ${said} of the same subject.` },
    ]);
  });

  it('gives what parseProposals accepts, and costs no model call', async () => {
    const provider = createRuleBasedProposalProvider();
    const graph = graphWith();
    const context = { signal: new AbortController().signal, deadlineMs: 1000 };
    const output = await provider.propose({ query: '', tenantId: 'tenant-a', graph, evidence }, context);
    expect(parseProposals(output, graph, evidence).proposals).toHaveLength(1);
    expect(provider.modelCalls).toBe(0);
  });

  it('proposes nothing between documents one of which replaces the other', () => {
    expect(proposeConflicts(evidence, graphWith({ ...relation, kind: 'supersedes' }))).toEqual([]);
    const reversed = {
      ...relation,
      kind: 'supersedes' as const,
      fromDocumentId: relation.toDocumentId,
      toDocumentId: relation.fromDocumentId,
    };
    expect(proposeConflicts(evidence, graphWith(reversed))).toEqual([]);
  });

  it('has ids of the documents and their words, whatever generation, passages and versions', () => {
    const [proposal] = proposeConflicts(evidence, graphWith());
    expect(proposal?.proposalId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const rebuilt = evidence.map((item) => ({ ...item, chunkId: `${item.chunkId}-new`, version: 2 }));
    const idOf = (identity: typeof IDENTITY, items = rebuilt) =>
      proposeConflicts(items, projectGraph({ identity, documents: [], relations: [], evidence: items }))[0]?.proposalId;
    expect(idOf({ ...IDENTITY, generationId: 'generation-2' })).toBe(proposal?.proposalId);
    expect(idOf(IDENTITY, [...rebuilt].reverse())).toBe(proposal?.proposalId);
    expect(idOf({ ...IDENTITY, tenantId: 'tenant-b' })).not.toBe(proposal?.proposalId);
    const reworded = [rebuilt[0]!, { ...rebuilt[1]!, text: rebuilt[1]!.text.replace('120', '140') }];
    expect(idOf(IDENTITY, reworded)).not.toBe(proposal?.proposalId);
  });

  it('proposes once what several passages of a document say in the same words', () => {
    const twice = [...evidence, { ...evidence[1]!, chunkId: 'c3' }];
    const graph = projectGraph({ identity: IDENTITY, documents: [], relations: [], evidence: twice });
    expect(proposeConflicts(twice, graph)).toHaveLength(1);
  });

  it('goes on proposing between two documents whose conflict about another subject a person approved', () => {
    const two = [
      { ...evidence[0], text: `${evidence[0].text} The launch date of Helios is 3 May 2026.` },
      { ...evidence[1]!, text: `${evidence[1]!.text} The launch date of Helios is 9 June 2026.` },
    ];
    const [first, second] = proposeConflicts(two, graphWith());
    const source = { identity: IDENTITY, documents: [], evidence: two };
    const relations = [{ ...relation, kind: 'conflicts_with' as const, origin: 'reviewed' as const }];
    const approved = projectGraph({ ...source, relations, approvedProposalIds: [first!.proposalId] });
    expect(proposeConflicts(two, approved)).toEqual([second]);
  });

  it.each([
    ['rejected', 'dismissedProposalIds'],
    ['approved', 'approvedProposalIds'],
  ] as const)('proposes nothing that a person %s, nor takes it from another provider', (_what, decision) => {
    const [proposal, ...others] = proposeConflicts(evidence, graphWith());
    expect(others).toEqual([]);
    const id = proposal?.proposalId ?? '';
    const source = { identity: IDENTITY, documents: [], evidence };
    const decided = projectGraph({ ...source, relations: [], [decision]: [id] });
    expect(proposeConflicts(evidence, decided)).toEqual([]);
    const other = makeProposal('c1', 'c2', { claims: proposal!.claims });
    expect(parseProposals([proposal, other], decided, evidence).proposals).toEqual([]);
    const sameId = { ...proposal!, kind: 'conflicting_date' as const };
    expect(parseProposals([sameId], decided, evidence).proposals).toEqual([sameId]);
  });

  it('comes to those behind the first ones once these are decided', () => {
    const limits = Array.from({ length: 8 }, (_, index) => 100 + 20 * index);
    const many = limits.map((limit) => ({
      ...evidence[0],
      chunkId: `m${limit}`,
      documentId: `document-of-m${limit}`,
      text: `The public API rate limit is ${limit} requests per minute per API key.`,
    }));
    const source = { identity: IDENTITY, documents: [], evidence: many };
    const first = proposeConflicts(many, projectGraph({ ...source, relations: [] }));
    expect(first).toHaveLength(20);
    const rejected = first.slice(0, 10).map(({ proposalId }) => proposalId);
    const approved = first.slice(10).map(({ proposalId }) => proposalId);
    const reviewed = { dismissedProposalIds: rejected, approvedProposalIds: approved };
    const decided = projectGraph({ ...source, relations: [], ...reviewed });
    expect(proposeConflicts(many, decided)).toHaveLength(8);
    // The same when the caller has them already.
    const known = first.map(({ proposalId }) => proposalId);
    expect(proposeConflicts(many, projectGraph({ ...source, relations: [] }), { known, most: 5 })).toHaveLength(5);
    expect(proposeConflicts(many, projectGraph({ ...source, relations: [] }), { known })).toHaveLength(8);
  });

  it('proposes between two documents whatever decides between others', () => {
    const other = { ...relation, kind: 'supersedes' as const, fromDocumentId: 'x', toDocumentId: 'y' };
    expect(proposeConflicts(evidence, graphWith(other))).toHaveLength(1);
    const half = { ...other, toDocumentId: relation.toDocumentId };
    expect(proposeConflicts(evidence, graphWith(half))).toHaveLength(1);
  });

  it('takes a passage for one of the graph only where the graph has it as a passage', () => {
    const [first] = evidence;
    const document = { documentId: 'c2', title: '', status: null, validFrom: null, validUntil: null, sourceDate: null };
    const graph = projectGraph({ identity: IDENTITY, documents: [document], relations: [], evidence: [first] });
    expect(proposeConflicts(evidence, graph)).toEqual([]);
  });

  it('proposes nothing about passages that the graph doesn’t hold', () => {
    expect(proposeConflicts(evidence, makeGraph(['c1']))).toEqual([]);
  });
});
