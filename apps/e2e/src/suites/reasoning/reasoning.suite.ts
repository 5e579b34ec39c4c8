import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  citationCheckSchema,
  listGenerationsRoute,
  reasoningRoute,
  readChunkRoute,
  verifyCitationsRoute,
  type ReasoningResponseJson,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { readDemoQuestions } from '../../harness/demo-workspace.js';
import { expectError } from '../../harness/expect-error.js';
import { mapLimited } from '../../harness/map-limited.js';
import { createKey } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const BRAND = 'What did we decide about the brand color?';
const FIELDS = [
  'answer',
  'calibration_identity',
  'citations',
  'clarification_request',
  'contradictions',
  'diagnostics',
  'evidence',
  'generation_identity',
  'outcome',
  'proposals',
  'provider_failures',
  'refusal_reason',
  'schema_version',
  'trace',
  'trust_state',
  'unsupported_gaps',
];

/** Seed 001 over HTTP, on the demo workspace and its shipped calibration. */
export function describeReasoning(world: WorldOf): void {
  describe('reasoning', () => {
    let client: ApiClient;
    beforeAll(async () => {
      ({ client } = await createKey(world().admin));
    });
    const run = (body: Record<string, unknown>, asker = client): Promise<ReasoningResponseJson> =>
      asker.call(reasoningRoute, { body: body as never });
    const itemsOf = ({ evidence }: ReasoningResponseJson) =>
      (evidence?.['items'] ?? []) as { chunk_id: string; document_title: string; text: string }[];

    it('answers the first strict request, from certified evidence that says so verbatim', async () => {
      const response = await run({ query: BRAND });
      expect(Object.keys(response).sort()).toEqual(FIELDS);
      expect(response).toMatchObject({
        outcome: 'answered',
        trust_state: { state: 'trusted', failure_code: null },
        calibration_identity: { status: 'certified' },
        refusal_reason: null,
        clarification_request: null,
        provider_failures: [],
      });
      expect(response.answer).toContain('lime-green');
      expect(response.citations.length).toBeGreaterThan(0);
      const evidence = itemsOf(response);
      for (const { chunk_id: chunkId } of response.citations as { chunk_id: string }[]) {
        const item = evidence.find((each) => each.chunk_id === chunkId);
        const reading = await client.call(readChunkRoute, { params: { chunkId: chunkId } });
        expect(item?.text).toBe(reading.data.content);
      }
    });

    it('answers most of what the workspace knows, and abstains on most of what it does not', async () => {
      const outcomesOf = async (kind: 'answerable' | 'unanswerable') =>
        mapLimited(await readDemoQuestions(kind), 4, async ({ question }) => (await run({ query: question })).outcome);
      const share = (outcomes: string[], wanted: string) =>
        outcomes.filter((outcome) => outcome === wanted).length / outcomes.length;
      expect(share(await outcomesOf('answerable'), 'answered')).toBeGreaterThanOrEqual(0.75);
      expect(share(await outcomesOf('unanswerable'), 'abstained')).toBeGreaterThanOrEqual(0.85);
    });

    it('asks back when nothing is asked', async () => {
      for (const query of ['', ' \n '])
        expect(await run({ query })).toMatchObject({
          outcome: 'needs_clarification',
          refusal_reason: 'empty_query',
          clarification_request: expect.any(String),
          answer: null,
          evidence: null,
          trust_state: null,
        });
    });

    it('gives the evidence and no answer under retrieval_only', async () => {
      const response = await run({ query: BRAND, policy: 'retrieval_only' });
      expect(response).toMatchObject({ outcome: 'abstained', refusal_reason: 'retrieval_only_policy', answer: null });
      expect(itemsOf(response).map((item) => item.document_title)).toContain('Brand decisions');
      expect(response.diagnostics).toMatchObject({ answer_provider_invoked: false });
    });

    it('plans over declared relations and proposals, and leaves what was proposed to people', async () => {
      const [conflict] = await readDemoQuestions('contradiction');
      const query = conflict?.question ?? '';
      const assisted = await run({
        query,
        policy: { name: 'proposal_assisted' },
        budget: { max_wall_time_ms: 20_000 },
      });
      const kinds = ((assisted.trace['steps'] ?? []) as { kind: string }[]).map((step) => step.kind);
      expect(kinds).toEqual(
        expect.arrayContaining(['retrieve', 'assemble_evidence', 'load_graph', 'propose', 'answer']),
      );
      expect(assisted.provider_failures).toEqual([]);
      expect(assisted.proposals.length).toBeGreaterThan(0);
      const review = await run({ query, policy: 'review_required', budget: { max_wall_time_ms: 20_000 } });
      expect(review).toMatchObject({ outcome: 'needs_review', refusal_reason: 'review_required_policy', answer: null });
    });

    it('shows both sides of each contradiction, cited and dated, settled by nothing that nobody declared', async () => {
      for (const { question, expectText = [] } of await readDemoQuestions('contradiction')) {
        const response = await run({ query: question });
        type Side = { chunk_id: string; quotation: string; source_date: string | null };
        const found = response.contradictions as { left: Side; right: Side; settled_by: unknown }[];
        const told = plain(found.map(({ left, right }) => `${left.quotation} ${right.quotation}`).join(' '));
        for (const side of expectText) expect(told).toContain(plain(side));
        expect(found.length).toBeGreaterThan(0);
        for (const { left, right, settled_by: settledBy } of found) {
          expect(left.chunk_id).not.toBe(right.chunk_id);
          expect([left.source_date, right.source_date]).not.toContain(null);
          expect(settledBy).toBeNull();
          const citations = [left, right].map(({ chunk_id: chunkId, quotation }) => ({ chunkId, quotation }));
          const { data } = await client.call(verifyCitationsRoute, { body: { citations } });
          expect(data.results.map((result) => citationCheckSchema.parse(result).status)).toEqual([
            'verified',
            'verified',
          ]);
        }
      }
    });

    it('leaves out what was replaced, and says so', async () => {
      const [replaced] = await readDemoQuestions('superseded');
      const response = await run({ query: replaced?.question ?? '', policy: 'retrieval_only' });
      const excluded = (response.evidence?.['excluded'] ?? []) as { reason: string }[];
      expect(excluded.map(({ reason }) => reason)).toContain('superseded');
      expect(itemsOf(response).map((item) => item.document_title)).not.toContain('Pricing and plans (2025)');
    });

    it('says what a declared relation settled, with both sides cited and dated', async () => {
      for (const { question, expectText = [] } of await readDemoQuestions('superseded')) {
        const response = await run({
          query: question,
          policy: 'proposal_assisted',
          budget: { max_wall_time_ms: 20_000 },
        });
        expect(response).toMatchObject({ outcome: 'answered', provider_failures: [] });
        type Side = { chunk_id: string; quotation: string; source_date: string | null };
        type Settled = { left: Side; right: Side; settled_by: { by: string; prevails: 'left' | 'right' } | null };
        const found = (response.contradictions as Settled[]).filter(({ settled_by: settled }) => settled !== null);
        const sides = found
          .filter(({ settled_by: settled }) => settled?.by === 'supersedes')
          .map(({ left, right, settled_by: settled }): [Side, Side] =>
            settled?.prevails === 'left' ? [left, right] : [right, left],
          );
        // What was asked about, not another price of the same list.
        const asked = sides.find(([holds]) => expectText.some((text) => plain(holds.quotation).includes(plain(text))));
        if (!asked) throw new Error(`nothing settled about ${question}: ${JSON.stringify(response.contradictions)}`);
        const [holds, held] = asked;
        expect([holds.source_date, held.source_date]).not.toContain(null);
        expect(itemsOf(response).map((item) => item.chunk_id)).toContain(holds.chunk_id);
        // What was replaced is shown as such, and is no evidence.
        expect(itemsOf(response).map((item) => item.chunk_id)).not.toContain(held.chunk_id);
        expect((response.citations as { chunk_id: string }[]).map((citation) => citation.chunk_id)).not.toContain(
          held.chunk_id,
        );
      }
    });

    it('abstains when another generation or fingerprint is asked for, under every policy', async () => {
      const generationId = (await world().admin.call(listGenerationsRoute)).data[0]?.id ?? '';
      expect((await run({ query: BRAND, generation: { generation_id: generationId } })).outcome).toBe('answered');
      const others = [
        { generation_id: 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90' },
        { generation_id: 'other-generation' },
        { corpus_fingerprint: 'x' },
        { pipeline_fingerprint: 'y' },
      ];
      for (const policy of ['retrieval_only', 'evidence_assembly', 'proposal_assisted', 'review_required'])
        for (const generation of others)
          expect(await run({ query: BRAND, policy, generation })).toMatchObject({
            outcome: 'abstained',
            refusal_reason: 'uncertified_evidence',
            trust_state: { state: 'degraded', failure_code: 'LINEAGE_MISMATCH' },
            answer: null,
          });
    });

    it('knows nothing of before anything was known', async () => {
      const response = await run({ query: BRAND, known_as_of: '2001-01-01T00:00:00Z' });
      expect(response).toMatchObject({ outcome: 'abstained', answer: null, citations: [] });
      expect(itemsOf(response)).toEqual([]);
    });

    it('tells private things only to those who may know them', async () => {
      const [runway] = await readDemoQuestions('private');
      const query = runway?.question ?? '';
      const { client: insider } = await createKey(world().admin, { principals: ['user:maren@quillmoor.example'] });
      const { client: outsider } = await createKey(world().admin, { principals: ['user:chidi@quillmoor.example'] });
      expect(JSON.stringify(await run({ query }, insider))).toContain('22 months');
      expect(JSON.stringify(await run({ query }, outsider))).not.toContain('22 months');
    });

    it('keeps nothing but its audit event: ids, counts and digests', async () => {
      const response = await client.post(reasoningRoute.path, { query: BRAND });
      const events = await readEvents(world().admin, response.requestId ?? '');
      expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([['reasoning.query', 'succeeded']]);
      expect(events[0]?.metadata).toMatchObject({
        query: BRAND,
        reasoningOutcome: 'answered',
        citedChunkIds: expect.any(Array),
        answerDigest: expect.any(String),
      });
      expect(JSON.stringify(events)).not.toContain('lime-green');
    });

    it('refuses another tenant’s id', async () => {
      expectError(
        await client.post(reasoningRoute.path, { query: BRAND, tenant_id: 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90' }),
        {
          status: 400,
          type: 'REQUEST.INVALID',
          message: 'tenant_id must be the tenant of the API key',
          field: 'tenant_id',
        },
      );
    });
  });
}

function plain(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase();
}
