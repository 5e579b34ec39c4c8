import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Generation } from '@candor/contracts';
import { listAll } from '@candor/client';
import { collect } from '../collect.js';
import { EXIT } from '../exit-codes.js';
import { list } from '../format.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CliTools, type CommonOptions } from '../with-client.js';

const POLL_MS = 1_000;

export function addGenerationsCommand(program: Command, context: CliContext): void {
  const generations = program
    .command('generations')
    .description('List, build, promote, retire and repair generations of the index.');
  withCommonOptions(generations.command('list').description('List them, newest first.'), ['generations list']).action(
    (options: CommonOptions) =>
      withClient(context, options, async ({ client, signal, paint, print }) => {
        const all = await collect(listAll(client, 'listGenerations', {}, { signal }));
        const rows = all.map(({ id, state, embedding, progress, drift }) => [
          id,
          state,
          `${progress.itemsDone}/${progress.itemsTotal}`,
          embedding?.model ?? '–',
          drift.length > 0 ? `differs in ${drift.join(', ')}` : '',
        ]);
        print(
          all,
          list(paint, ['id', 'state', 'items', 'model', ''], rows, 'There is none yet: ingest something first.'),
        );
      }),
  );
  withCommonOptions(
    generations
      .command('create')
      .description('Build one beside the live one.')
      .option('--model <name>', 'embedding model; default: that of the workers')
      .option('--wait', 'follow the build to its end', false),
    ['generations create --model hashing --wait'],
  ).action((options: CommonOptions & { model?: string; wait: boolean }) =>
    withClient(context, options, async (tools) => {
      const { client, signal, print } = tools;
      const { data } = await client.createGeneration({ model: options.model }, { signal });
      const built = options.wait ? await follow(data.id, tools) : data;
      print({ data: built }, `${built.state} ${built.id}${built.error ? `: ${built.error.message}` : ''}`);
      if (built.state === 'failed') context.setExitCode(EXIT.someFailed);
    }),
  );
  const changes = [
    ['promote', 'Make it the live one; the one before stays for a roll-back.'],
    ['retire', 'Give it up; its index is dropped.'],
    ['reconcile', 'Compare its index with the database and repair it.'],
  ] as const;
  for (const [name, description] of changes)
    withCommonOptions(generations.command(name).description(description).argument('<id>'), [
      `generations ${name} <id>`,
    ]).action((id: string, options: CommonOptions) =>
      withClient(context, options, async ({ client, signal, print }) => {
        const call = {
          promote: client.promoteGeneration,
          retire: client.retireGeneration,
          reconcile: client.reconcileGeneration,
        }[name];
        print(await call({ id }, { signal }), 'Accepted; `candor generations list` shows what comes of it.');
      }),
    );
}

async function follow(id: string, { client, signal, progress }: CliTools): Promise<Generation> {
  progress.start('Building', 0);
  for (;;) {
    const { data } = await client.generation({ id }, { signal });
    progress.update(data.progress.itemsDone, data.progress.itemsTotal);
    if (data.state !== 'building') {
      progress.stop();
      return data;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
