import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { SyncRun } from '@candor/contracts';
import { listAll } from '@candor/client';
import { collect } from '../collect.js';
import { EXIT } from '../exit-codes.js';
import { list } from '../format.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CliTools, type CommonOptions, type Paint } from '../with-client.js';

interface SyncOptions extends CommonOptions {
  mode: 'incremental' | 'full';
  wait: boolean;
}

const POLL_MS = 1_000;
const ACTIVE = new Set<SyncRun['state']>(['queued', 'running']);

export function addSyncCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('sync')
      .description('Sync a connected source now and follow the run; without one, list the sources.')
      .argument('[sourceId]', 'of the source')
      .addOption(new Option('--mode <mode>', 'of the run').choices(['incremental', 'full']).default('incremental'))
      .option('--no-wait', 'start it and leave'),
    ['sync', 'sync <sourceId>', 'sync <sourceId> --mode full --no-wait'],
    'Interrupting ends the watching, not the run. Exit code: 0 done, 1 the run failed or some items did.',
  ).action((sourceId: string | undefined, options: SyncOptions) =>
    withClient(context, options, async (tools) => {
      if (sourceId === undefined) return listSources(tools);
      const { client, signal, paint, print } = tools;
      const { data } = await client.startSync({ sourceId, mode: options.mode }, { signal });
      const run = options.wait ? await follow(data.id, tools) : data;
      print({ data: run }, renderRun(run, paint));
      if (run.state === 'failed' || run.counts.failed > 0) context.setExitCode(EXIT.someFailed);
    }),
  );
}

async function listSources({ client, signal, paint, print }: CliTools): Promise<void> {
  const sources = await collect(listAll(client, 'listSources', {}, { signal }));
  const rows = sources.map(({ id, provider, name, state }) => [id, provider, state, name]);
  print(sources, list(paint, ['id', 'provider', 'state', 'name'], rows, 'No source is connected.'));
}

async function follow(id: string, { client, signal, progress }: CliTools): Promise<SyncRun> {
  progress.start('Syncing', 0);
  for (;;) {
    const { data } = await client.getSyncRun({ id }, { signal });
    const { listed, accepted, unchanged, metadata, failed } = data.counts;
    progress.update(accepted + unchanged + metadata + failed, listed);
    if (!ACTIVE.has(data.state)) {
      progress.stop();
      return data;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

function renderRun(run: SyncRun, paint: Paint): string {
  const color = run.state === 'succeeded' ? paint.green : run.state === 'failed' ? paint.red : paint.yellow;
  const counts = Object.entries(run.counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  return [
    `${color(run.state)} ${paint.dim(run.id)}`,
    counts.length > 0 ? counts.join(', ') : 'nothing listed yet',
    ...(run.error ? [paint.red(run.error.message)] : []),
    ...(run.waiting ? [paint.yellow(`waits until ${run.waiting.until}: ${run.waiting.error.message}`)] : []),
  ].join('\n');
}
