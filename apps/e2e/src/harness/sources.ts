import {
  createSourceRoute,
  getSourceRoute,
  getSyncRunRoute,
  startSyncRoute,
  type Source,
  type SyncRunDetails,
} from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';
import { waitUntilDone } from './ingest.js';
import { WORKSPACE_TOKEN, type SlackWorkspace } from './slack-workspace.js';

export const SIGNING_SECRET = 'planted-signing-secret';

/** A source that syncs only when it is asked to. */
export async function connectWorkspace(
  client: ApiClient,
  workspace: SlackWorkspace,
  fields: { botToken?: string; name?: string } = {},
): Promise<Source> {
  const { data } = await client.call(createSourceRoute, {
    body: {
      provider: 'slack',
      name: fields.name ?? 'Workspace',
      settings: { baseUrl: workspace.baseUrl },
      credentials: { botToken: fields.botToken ?? WORKSPACE_TOKEN, signingSecret: SIGNING_SECRET },
      schedule: null,
      reconcile: null,
    },
  });
  return data;
}

/** One run, to its end, and the end of what it took in. */
export async function syncAndWait(
  client: ApiClient,
  sourceId: string,
  mode: 'incremental' | 'full' = 'incremental',
): Promise<SyncRunDetails> {
  const { data } = await client.call(startSyncRoute, { body: { sourceId, mode } });
  return waitForRun(client, data.id);
}

export async function waitForRun(client: ApiClient, id: string): Promise<SyncRunDetails> {
  const run = await waitFor(
    async () => {
      const { data } = await client.call(getSyncRunRoute, { params: { id } });
      return data.endedAt === null ? undefined : data;
    },
    { what: `the end of sync run ${id}` },
  );
  if (run.counts.accepted + run.counts.metadata > 0) await waitUntilDone(client, run.id);
  return run;
}

export async function readSource(client: ApiClient, id: string): Promise<Source> {
  return (await client.call(getSourceRoute, { params: { id } })).data;
}
