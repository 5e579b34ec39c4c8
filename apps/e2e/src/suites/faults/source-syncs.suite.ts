import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createSourceRoute,
  deleteSourceRoute,
  getSyncRunRoute,
  listSyncRunsRoute,
  startSyncRoute,
} from '@candor/contracts';
import { runRedisCommand, waitFor, type ApiClient } from '@candor/testkit';
import { waitUntilDone } from '../../harness/ingest.js';
import { SlackWorkspace, WORKSPACE_TOKEN } from '../../harness/slack-workspace.js';
import { connectWorkspace, readSource } from '../../harness/sources.js';
import type { FaultyWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';

const MESSAGES = 600;

/** The worker is killed and Redis emptied while sources are synced and removed. */
export function describeSourceSyncs(world: () => FaultyWorld): void {
  describe('syncs of sources', () => {
    let client: ApiClient;
    let workspace: SlackWorkspace;

    beforeAll(async () => {
      client = (await createTenant(world(), 'Source faults')).admin;
      workspace = await SlackWorkspace.start();
      const messages = Array.from({ length: MESSAGES }, (_, index) => ({
        ts: `${1_760_000_000 + index}.000100`,
        user: 'U1',
        text: `Bollard ${index} of the harbour was painted in week ${index % 52}.`,
      }));
      workspace.channels.push({ id: 'C1', name: 'harbour', isPrivate: false, members: [], messages });
    });
    afterAll(() => workspace.stop());

    const loseEverything = async (): Promise<void> => {
      const [worker] = await world().running.findService('ingestion-worker');
      if (worker === undefined) throw new Error('there is no worker');
      process.kill(worker, 'SIGKILL');
      expect(await runRedisCommand(world().redisUrl, 'FLUSHDB')).toBe('+OK');
    };

    it('go on from the last stored batch, take in each item once, and schedules come back', async () => {
      const scheduled = await client.call(createSourceRoute, {
        body: {
          provider: 'slack',
          name: 'Scheduled',
          settings: { baseUrl: workspace.baseUrl, channelAllowlist: ['C1'] },
          credentials: { botToken: WORKSPACE_TOKEN },
          schedule: { everyMinutes: 1 },
          reconcile: null,
        },
      });
      const runsOf = async (sourceId: string) =>
        (await client.call(listSyncRunsRoute, { query: { sourceId, limit: 100 } })).data;
      await waitFor(async () => (await runsOf(scheduled.data.id))[0]?.state === 'succeeded', { what: 'the first run' });

      const source = await connectWorkspace(client, workspace);
      const { data: run } = await client.call(startSyncRoute, { body: { sourceId: source.id } });
      const read = async () => (await client.call(getSyncRunRoute, { params: { id: run.id } })).data;
      await waitFor(async () => (await read()).counts.accepted >= 100, { what: 'some batches', everyMs: 20 });
      workspace.hold();
      await loseEverything();
      const before = await read();
      expect(before.state).toBe('running');
      expect(before.counts.accepted).toBeLessThan(MESSAGES);
      const lostAt = new Date().toISOString();
      workspace.resume();

      const ended = await waitFor(
        async () => {
          const now = await read();
          return now.endedAt === null ? undefined : now;
        },
        { what: 'the end of the run', timeoutMs: 240_000 },
      );
      expect(ended).toMatchObject({ state: 'succeeded', counts: { accepted: MESSAGES, failed: 0 } });
      await waitUntilDone(client, run.id, 240_000);
      expect((await readSource(client, source.id)).items).toEqual({ total: MESSAGES, withheld: 0, failed: 0 });
      await waitFor(
        async () =>
          (await runsOf(scheduled.data.id)).some(
            ({ state, trigger, createdAt }) => state === 'succeeded' && trigger === 'schedule' && createdAt > lostAt,
          ),
        { what: 'a scheduled run after the loss', timeoutMs: 240_000 },
      );
      await client.call(deleteSourceRoute, { params: { id: scheduled.data.id } });
    }, 600_000);

    it('a removal goes on to its end', async () => {
      const source = await connectWorkspace(client, workspace, { name: 'To be removed' });
      const { data: run } = await client.call(startSyncRoute, { body: { sourceId: source.id } });
      await waitFor(
        async () => (await client.call(getSyncRunRoute, { params: { id: run.id } })).data.endedAt !== null,
        {
          what: 'the end of the run',
        },
      );
      await client.call(deleteSourceRoute, { params: { id: source.id } });
      await loseEverything();
      await waitFor(async () => (await readSource(client, source.id)).state === 'deleted', {
        what: 'the end of the removal',
        timeoutMs: 300_000,
      });
      expect((await readSource(client, source.id)).removal).toEqual({ itemsTotal: MESSAGES, itemsRemaining: 0 });
    }, 600_000);
  });
}
