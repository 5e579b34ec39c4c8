import { describe, expect, it } from '@jest/globals';
import { makeBundle, makeDegraded, makeHit, makeTrusted } from '../testing/scripted-ports.js';
import { buildEvidenceBundle, emptyBundle } from './build-evidence-bundle.js';
import { demoteItems } from './demote-items.js';
import { DEFAULT_EVIDENCE_POLICY, evidencePolicySchema } from './evidence-policy.js';

const countTokens = (text: string): number => text.length;
const limits = { maxEvidenceTokens: 10_000, countTokens };
const idsOf = (bundle: { items: readonly { chunkId: string }[] }) => bundle.items.map((item) => item.chunkId);

describe('buildEvidenceBundle', () => {
  it('takes five items in the order of retrieval by default', () => {
    const hits = Array.from({ length: 7 }, (_, index) => makeHit(`c${index}`, { score: index / 10 }));
    const bundle = buildEvidenceBundle(makeTrusted(hits), limits);
    expect(DEFAULT_EVIDENCE_POLICY).toEqual({
      maxItems: 5,
      preserveOrder: true,
      semanticDeduplication: false,
      answerSlots: [],
    });
    expect(idsOf(bundle)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    expect(bundle.items.map((item) => item.ordinal)).toEqual([1, 2, 3, 4, 5]);
    expect(bundle.excluded).toEqual([
      { chunkId: 'c5', reason: 'item_limit' },
      { chunkId: 'c6', reason: 'item_limit' },
    ]);
    expect(bundle).toMatchObject({ decision: 'answerable', reasonCode: null, missingSlots: [] });
  });

  it('orders by score when the order need not be kept', () => {
    const hits = [makeHit('c1', { score: 0.1 }), makeHit('c2', { score: 0.9 }), makeHit('c3', { score: 0.5 })];
    const bundle = buildEvidenceBundle(makeTrusted(hits), limits, { preserveOrder: false });
    expect(idsOf(bundle)).toEqual(['c2', 'c3', 'c1']);
  });

  it('names each passage once; one that is demoted anywhere is demoted', () => {
    const hits = [makeHit('c1'), makeHit('c1'), makeHit('c2'), makeHit('c2', { verdict: 'expired' })];
    const bundle = buildEvidenceBundle(makeTrusted(hits), limits);
    expect(idsOf(bundle)).toEqual(['c1']);
    expect(bundle.excluded).toEqual([{ chunkId: 'c2', reason: 'expired' }]);
  });

  it('keeps the trust of the retrieval', () => {
    const bundle = buildEvidenceBundle(makeDegraded('INDEX_NOT_READY', [makeHit('c1')]), limits);
    expect(bundle.trustState).toEqual({ state: 'degraded', failureCode: 'INDEX_NOT_READY' });
  });

  it('leaves out what says the same only when asked, and never for another number', () => {
    const first = makeHit('c1', { text: 'Nightly database backups are kept for 30 days in the vault.' });
    const same = makeHit('c2', { text: 'In the vault, nightly database backups are kept for 30 days.' });
    const other = makeHit('c3', { text: 'Nightly database backups are kept for 35 days in the vault.' });
    const result = makeTrusted([first, same, other]);
    expect(idsOf(buildEvidenceBundle(result, limits))).toEqual(['c1', 'c2', 'c3']);
    const bundle = buildEvidenceBundle(result, limits, { semanticDeduplication: true });
    expect(idsOf(bundle)).toEqual(['c1', 'c3']);
    expect(bundle.excluded).toEqual([{ chunkId: 'c2', reason: 'duplicate' }]);
  });

  it.each([
    ['budget_exhausted', [makeHit('c1', { text: 'x'.repeat(500) }), makeHit('c2', { verdict: 'expired' })]],
    [
      'ambiguous_evidence',
      [makeHit('c1', { verdict: 'ambiguous_supersession' }), makeHit('c2', { verdict: 'expired' })],
    ],
    ['no_trusted_initial_evidence', [makeHit('c1', { verdict: 'unverified' }), makeHit('c2', { verdict: 'expired' })]],
  ])('has %s when that kept one of the hits out and nothing is left', (reasonCode, hits) => {
    const bundle = buildEvidenceBundle(makeTrusted(hits), { maxEvidenceTokens: 100, countTokens });
    expect(bundle).toMatchObject({ decision: 'abstain', reasonCode, items: [] });
  });

  it('takes no hit of a retrieval that abstained', () => {
    const hits = [makeHit('c1'), makeHit('c2', { verdict: 'low_confidence' })];
    expect(buildEvidenceBundle(makeTrusted(hits, { abstained: true }), limits)).toMatchObject({
      decision: 'abstain',
      reasonCode: 'retrieval_abstained',
      items: [],
      excluded: [
        { chunkId: 'c1', reason: 'retrieval_abstained' },
        { chunkId: 'c2', reason: 'low_confidence' },
      ],
    });
  });

  it('counts titles and texts of all items against the budget, up to its last token', () => {
    const cost = 'Title of c1\nText of c1.'.length;
    const result = makeTrusted([makeHit('c1'), makeHit('c2'), makeHit('c3')]);
    const bundle = buildEvidenceBundle(result, { maxEvidenceTokens: 2 * cost, countTokens });
    expect(idsOf(bundle)).toEqual(['c1', 'c2']);
    expect(bundle.tokens).toBe(2 * cost);
    expect(bundle.excluded).toEqual([{ chunkId: 'c3', reason: 'token_budget' }]);
  });

  it('goes on after an item that does not fit the budget', () => {
    const long = makeHit('c1', { text: 'x'.repeat(500) });
    const bundle = buildEvidenceBundle(makeTrusted([long, makeHit('c2')]), { maxEvidenceTokens: 100, countTokens });
    expect(idsOf(bundle)).toEqual(['c2']);
    expect(bundle.excluded).toEqual([{ chunkId: 'c1', reason: 'token_budget' }]);
  });

  describe('answer slots', () => {
    const slots = [
      { name: 'owner', terms: ['owned by', 'owner'] },
      { name: 'price', terms: ['cost per month'] },
    ];

    it('are filled by all words of one term in one item, in any form', () => {
      const hits = [
        makeHit('c1', { text: 'Two owners are responsible.' }),
        makeHit('c2', { text: 'It costs 5 euros each month.' }),
      ];
      expect(buildEvidenceBundle(makeTrusted(hits), limits, { answerSlots: slots }).decision).toBe('answerable');
      const halves = [makeHit('c1', { text: 'It costs 5 euros.' }), makeHit('c2', { text: 'Owners meet each month.' })];
      const bundle = buildEvidenceBundle(makeTrusted(halves), limits, { answerSlots: slots });
      expect(bundle).toMatchObject({ decision: 'abstain', reasonCode: 'answer_slot_gap', missingSlots: ['price'] });
    });

    it('keep a place for a hit past the limit that alone fills one', () => {
      const hits = [makeHit('c1'), makeHit('c2'), makeHit('c3', { text: 'The owner is Ada.' })];
      const bundle = buildEvidenceBundle(makeTrusted(hits), limits, { maxItems: 2, answerSlots: slots.slice(0, 1) });
      expect(idsOf(bundle)).toEqual(['c1', 'c3']);
      expect(bundle.decision).toBe('answerable');
      expect(bundle.excluded).toEqual([{ chunkId: 'c2', reason: 'item_limit' }]);
    });

    it('keep no place for a hit that is demoted', () => {
      const owner = 'The owner is Ada.';
      const demoted = makeHit('c3', { text: owner, verdict: 'superseded' });
      const hits = [makeHit('c1'), makeHit('c2'), demoted, makeHit('c3', { text: owner })];
      const bundle = buildEvidenceBundle(makeTrusted(hits), limits, { maxItems: 2, answerSlots: slots.slice(0, 1) });
      expect(idsOf(bundle)).toEqual(['c1', 'c2']);
    });

    it('keep no more places than there are', () => {
      const hits = [
        makeHit('c1'),
        makeHit('c2', { text: 'The owner is Ada.' }),
        makeHit('c3', { text: 'It costs 5 euros each month.' }),
      ];
      const bundle = buildEvidenceBundle(makeTrusted(hits), limits, { maxItems: 1, answerSlots: slots });
      expect(idsOf(bundle)).toEqual(['c2']);
      expect(bundle.missingSlots).toEqual(['price']);
    });

    it('are bounded', () => {
      const many = Array.from({ length: 11 }, (_, index) => ({ name: `s${index}`, terms: ['x'] }));
      expect(evidencePolicySchema.safeParse({ answerSlots: many }).success).toBe(false);
      expect(evidencePolicySchema.safeParse({ answerSlots: [{ name: 'a', terms: [] }] }).success).toBe(false);
    });
  });
});

describe('emptyBundle', () => {
  it('holds nothing, and why', () => {
    const { identity, trustState } = makeBundle(makeHit('c1'));
    const nothing = { decision: 'abstain', reasonCode: 'uncertified_evidence', items: [], missingSlots: [], tokens: 0 };
    expect(emptyBundle(identity, trustState, 'uncertified_evidence')).toEqual({
      ...nothing,
      identity,
      trustState,
      excluded: [],
    });
    const excluded = [{ chunkId: 'c1', reason: 'uncertified' as const }];
    expect(emptyBundle(identity, trustState, 'uncertified_evidence', excluded).excluded).toEqual(excluded);
  });
});

describe('demoteItems', () => {
  const bundle = makeBundle(makeHit('c1'), makeHit('c2'));

  it('renumbers what stays and counts its tokens anew', () => {
    const left = demoteItems(
      bundle,
      [{ chunkId: 'c1', reason: 'declared_status' }],
      DEFAULT_EVIDENCE_POLICY,
      countTokens,
    );
    expect(left.items).toMatchObject([{ chunkId: 'c2', ordinal: 1 }]);
    expect(left.tokens).toBe('Title of c2\nText of c2.'.length);
    expect(left.excluded).toEqual([{ chunkId: 'c1', reason: 'declared_status' }]);
  });

  it('leaves a bundle as it is when nothing is taken out, with its own reason', () => {
    const empty = buildEvidenceBundle(makeTrusted([makeHit('c1', { verdict: 'expired' })]), limits);
    expect(empty).toMatchObject({ decision: 'abstain', reasonCode: 'no_trusted_initial_evidence' });
    for (const each of [bundle, empty])
      expect(demoteItems(each, [], DEFAULT_EVIDENCE_POLICY, countTokens)).toEqual(each);
  });

  it('has unsupported evidence when nothing stays, and judges the slots anew', () => {
    const both = bundle.items.map(({ chunkId }) => ({ chunkId, reason: 'declared_validity' as const }));
    expect(demoteItems(bundle, both, DEFAULT_EVIDENCE_POLICY, countTokens)).toMatchObject({
      decision: 'abstain',
      reasonCode: 'unsupported_evidence',
    });
    const policy = { ...DEFAULT_EVIDENCE_POLICY, answerSlots: [{ name: 'first', terms: ['c1'] }] };
    expect(demoteItems(bundle, both.slice(0, 1), policy, countTokens)).toMatchObject({ reasonCode: 'answer_slot_gap' });
  });
});
