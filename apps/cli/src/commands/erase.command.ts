import type { Command } from 'commander';
import type { Erasure } from '@candor/contracts';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions } from '../with-client.js';

interface DryRun extends CommonOptions {
  dryRun: boolean;
}

export function addEraseCommand(program: Command, context: CliContext): void {
  const erase = program.command('erase').description('Erase a tenant or a person; an audit event certifies the end.');
  withCommonOptions(
    erase
      .command('tenant')
      .description('Everything but its audit trail, which loses what was asked. It can’t be undone.')
      .argument('[id]', 'default: your own tenant')
      .requiredOption('--confirm <name>', 'name of the tenant')
      .option('--dry-run', 'only count', false),
    ['erase tenant <id> --confirm "Acme" --dry-run'],
  ).action((tenantId: string | undefined, options: DryRun & { confirm: string }) =>
    withClient(context, options, async ({ client, signal, print }) => {
      const { confirm, dryRun } = options;
      const body = { kind: 'tenant' as const, confirm, dryRun, ...(tenantId === undefined ? {} : { tenantId }) };
      const { data } = await client.createErasure(body, { signal });
      print(data, render(data));
    }),
  );
  withCommonOptions(
    erase
      .command('person')
      .description('Texts of questions, feedback, keys and authorship of one person.')
      .option('--key <id...>', 'keys that the person uses alone', [])
      .option('--name <name...>', 'as sources and prompts name the person', [])
      .option('--dry-run', 'only count', false),
    ['erase person --key <id> --name "Ada Lovelace" --dry-run'],
  ).action((options: DryRun & { key: string[]; name: string[] }) =>
    withClient(context, options, async ({ client, signal, print }) => {
      const { key, name, dryRun } = options;
      const { data } = await client.createErasure(
        { kind: 'person', apiKeyIds: key, authorNames: name, dryRun },
        { signal },
      );
      print(data, render(data));
    }),
  );
  withCommonOptions(erase.command('status').description('How far an erasure is.').argument('<id>'), [
    'erase status <id>',
  ]).action((id: string, options: CommonOptions) =>
    withClient(context, options, async ({ client, signal, print }) => {
      const { data } = await client.erasure({ id }, { signal });
      print(data, `${data.id} ${data.state} (${data.step})\n${counts(data.counts)}`);
    }),
  );
}

function render({ erasure, found }: { erasure: Erasure | null; found: Record<string, number> }): string {
  const begun = erasure === null ? 'Nothing was erased. There is:' : `Erasure ${erasure.id} has begun. There was:`;
  return `${begun}\n${counts(found)}`;
}

function counts(found: Record<string, number>): string {
  const lines = Object.entries(found).map(([what, count]) => `${String(count).padStart(8)} ${what}`);
  return lines.length > 0 ? lines.join('\n') : '       0';
}
