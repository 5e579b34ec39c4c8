import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createGenerationRoute,
  generationRoute,
  promoteGenerationRoute,
  tenantRoute,
  type GenerationState,
} from '@candor/contracts';
import { ApiClient, ScriptedModelServer, waitFor } from '@candor/testkit';
import { Fleet, type FleetMember } from './fleet/fleet.js';
import { makeImage, removeImage } from './fleet/image.js';
import { makeCertificates } from './fleet/make-certificates.js';
import { exportedMetrics, namedMetrics } from './fleet/metric-names.js';
import { TraceReceiver, type ReceivedSpan } from './fleet/trace-receiver.js';
import { ingestOne } from './harness/ingest.js';
import { quoteFirst } from './harness/quote-first.js';
import { findServices } from './harness/start-distributed.js';

const REDIS_DATABASE = 8;
const services = findServices(process.env);
const usages = { gateway: 'clientAuth', synthesis: 'clientAuth', retrieval: 'serverAuth' } as const;

if (services === null || services === 'incomplete') {
  console.warn('SKIPPED: the services as on a cluster need DATABASE_URL, REDIS_URL and ELASTICSEARCH_URL');
  it.skip('the services as on a cluster', () => undefined);
} else {
  describe('the services as on a cluster', () => {
    const ours = makeCertificates(usages);
    let image: string;
    let receiver: TraceReceiver;
    let model: ScriptedModelServer;
    let fleet: Fleet;
    let gateway: FleetMember;
    let retrieval: FleetMember;
    let admin: ApiClient;

    beforeAll(async () => {
      image = makeImage();
      receiver = await TraceReceiver.start();
      model = await ScriptedModelServer.start();
      model.play(quoteFirst);
      fleet = await Fleet.open(image, services, REDIS_DATABASE, {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '200',
      });
      retrieval = await fleet.start('retrieval', [], { ...ours.retrieval });
      const retrievals = [retrieval.grpc];
      gateway = await fleet.start('gateway', retrievals, { ...ours.gateway });
      // Whoever has a chunk already is large.
      await fleet.start('ingestion-worker', [], { ELASTICSEARCH_POOLS: '2', ELASTICSEARCH_POOLED_CHUNKS: '0' });
      const llm = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted-1' };
      await fleet.start('synthesis', retrievals, { ...ours.synthesis, ...llm });
      for (const member of fleet.members) await member.waitUntilReady();
      admin = new ApiClient(gateway.url, fleet.bootstrapKey);
      await ingestOne(admin, {
        title: 'Lantern rota',
        body: 'The lantern in the harbour is lit at nine in the evening.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
    }, 300_000);
    afterAll(async () => {
      await fleet.close();
      await receiver.stop();
      await model.stop();
      removeImage(image);
    }, 60_000);

    const ask = () => admin.post('/v1/reason', { query: 'When is the lantern in the harbour lit?' });

    it('answer with each other’s certificates proven', async () => {
      expect((await admin.post('/v1/context', { query: 'harbour lantern', contractVersion: '1.1' })).status).toBe(200);
      const { status, body } = await ask();
      expect([status, body]).toEqual([200, { data: expect.objectContaining({ citations: [expect.anything()] }) }]);
    });

    it('ask the model that synthesis is given: whether the tenant consents comes from retrieval', async () => {
      model.play(quoteFirst);
      const { status, body } = await ask();
      expect([status, body]).toEqual([200, { data: expect.objectContaining({ citations: [expect.anything()] }) }]);
      expect(model.calls).toHaveLength(1);
    });

    it.each([
      [
        'a certificate of another authority',
        { ...makeCertificates(usages).gateway, GRPC_TLS_CA: ours.gateway.GRPC_TLS_CA },
      ],
      [
        'another authority for the server',
        { ...ours.gateway, GRPC_TLS_CA: makeCertificates(usages).gateway.GRPC_TLS_CA },
      ],
      ['a certificate that is for servers', ours.retrieval],
      ['no certificate', {}],
    ])('refuse a gateway with %s', async (_, certificate) => {
      const stranger = await fleet.start('gateway', [retrieval.grpc], certificate);
      const client = new ApiClient(stranger.url, fleet.bootstrapKey);
      const reached = await waitFor(
        async () => {
          const { status, checks } = await stranger.readiness();
          return status !== 0 && checks['first-key'] === 'ok' ? checks['retrieval'] : undefined;
        },
        { what: 'the gateway to be there', timeoutMs: 60_000 },
      );
      // Plain text connects, and fails at the first call.
      if (Object.keys(certificate).length > 0) expect(reached).toBe('failed');
      const { status, body } = await client.post('/v1/search', { query: 'harbour lantern' });
      expect([status, body]).toEqual([503, expect.objectContaining({ error: expect.anything() })]);
      expect(JSON.stringify(body)).toContain('DEPENDENCY.RETRIEVAL_UNAVAILABLE');
      expect(await stranger.stop()).toBe(0);
    });

    it('refuse to start with a part of the certificate only', async () => {
      const { GRPC_TLS_KEY: _, ...incomplete } = ours.gateway;
      const member = await fleet.start('gateway', [retrieval.grpc], incomplete);
      await expect(member.waitUntilReady()).rejects.toThrow(/CONFIG\.INVALID: [^]*GRPC_TLS_CA must be set together/);
    });

    it('leave one trace from the gateway through the queue and synthesis to retrieval, continuing the caller’s', async () => {
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const caller = '00f067aa0ba902b7';
      const headers = { traceparent: `00-${traceId}-${caller}-01` };
      expect((await admin.post('/v1/reason', { query: 'When is the lantern lit?' }, headers)).status).toBe(200);
      const expected = [
        ['gateway', 'POST /v1/reason'],
        ['synthesis', 'process reasoning.answer'],
        ['retrieval', 'retrieval.findPassages'],
      ] as const;
      const spans = await waitFor(
        async () => {
          const found = expected.map(([service, name]) =>
            receiver.traceOf(traceId).find((span) => span.service === service && span.name === name),
          );
          return found.every((span): span is ReceivedSpan => span !== undefined) ? found : undefined;
        },
        { what: 'the spans of three services', timeoutMs: 30_000 },
      );
      const parents = [caller, ...spans.map(({ spanId }) => spanId)];
      expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(parents.slice(0, 3));
    });

    it('export every metric that a dashboard, an alert or an autoscaler asks for, without an id in a label', async () => {
      const scrapes = await Promise.all(fleet.members.slice(0, 4).map((member) => member.metrics()));
      const exported = new Set(scrapes.flatMap(exportedMetrics));
      expect(namedMetrics().filter((name) => !exported.has(name))).toEqual([]);
      const ours = [...exported].filter((name) => name.startsWith('candor_'));
      expect(ours.filter((name) => !namedMetrics().includes(name))).toEqual([]);
      for (const scrape of scrapes) {
        const samples = scrape.replaceAll(/^#.*$/gm, '');
        expect(samples).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/);
        expect(samples).not.toMatch(/tenant|gm_/);
        // Prometheus' own names for where a sample is from: it would call ours `exported_job`.
        expect(samples).not.toMatch(/[{,](job|instance)=/);
      }
      const text = scrapes.join('\n');
      for (const sample of [
        /candor_queue_jobs\{queue="reasoning",state="waiting",app="gateway"\} 0/,
        /candor_outbox_rows\{job_name="item\.index",app="ingestion-worker"\} 0/,
        /candor_job_duration_seconds_count\{app="synthesis",job_name="reasoning\.answer",outcome="done"\} [1-9]/,
        /candor_retrieval_stage_duration_seconds_count\{app="retrieval",stage="search"\} [1-9]/,
        /candor_index_request_duration_seconds_count\{app="ingestion-worker",operation="bulk",outcome="ok"\} [1-9]/,
        /candor_reason_outcomes_total\{face="reason",outcome="answered",reason="",app="synthesis"\} [1-9]/,
        /candor_context_exclusions_total\{type="no_results",app="retrieval"\} [1-9]/,
        /candor_model_duration_seconds_count\{app="retrieval",kind="query",outcome="ok"\} [1-9]/,
      ])
        expect(text).toMatch(sample);
    });

    it('let a small tenant share an index, and give it its own with the generation after it has grown', async () => {
      const { data: tenant } = await admin.call(tenantRoute, {});
      const places = async (): Promise<string[]> => {
        const response = await fetch(`${services.ELASTICSEARCH_URL}/_alias/candor-${tenant.id}-*`);
        return Object.keys((await response.json()) as object).sort();
      };
      const pool = expect.stringMatching(/^candor-pool-\d+-[01](-history)?$/);
      expect(await places()).toEqual([pool, pool]);
      const params = { id: (await admin.call(createGenerationRoute, { body: {} })).data.id };
      const until = (state: GenerationState) =>
        waitFor(async () => (await admin.call(generationRoute, { params })).data.state === state, {
          what: `the generation to be ${state}`,
        });
      await until('ready');
      await admin.call(promoteGenerationRoute, { params });
      await until('live');
      const own = expect.stringContaining(`candor-${tenant.id}-`);
      expect(await places()).toEqual([own, own, pool, pool]);
      const { status, body } = await ask();
      expect([status, body]).toEqual([200, { data: expect.objectContaining({ citations: [expect.anything()] }) }]);
    });

    it('end with code 0 on SIGTERM, each', async () => {
      for (const member of fleet.members.slice(0, 4))
        expect([member.service, await member.stop()]).toEqual([member.service, 0]);
    }, 120_000);
  });
}
