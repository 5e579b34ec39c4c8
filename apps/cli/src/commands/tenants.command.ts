import { Option, type Command } from 'commander';
import { listAll } from '@candor/client';
import { AppError, RETENTION_KIND_NAMES, type RetentionKind, type TenantSettings } from '@candor/contracts';
import { collect } from '../collect.js';
import { list } from '../format.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions } from '../with-client.js';

interface SetOptions extends CommonOptions {
  name?: string;
  externalModels?: 'yes' | 'no' | 'unsaid';
  auditQueryText?: 'yes' | 'no';
  retention?: string[];
}

export function addTenantsCommand(program: Command, context: CliContext): void {
  const tenants = program.command('tenants').description('Tenants, and what yours allows and keeps.');
  withCommonOptions(tenants.command('list').description('List all; only with the first key.'), ['tenants list']).action(
    (options: CommonOptions) =>
      withClient(context, options, async ({ client, signal, paint, print }) => {
        const all = await collect(listAll(client, 'listTenants', {}, { signal }));
        const rows = all.map(({ id, name, createdAt, erasedAt }) => [
          id,
          name,
          createdAt,
          erasedAt ? 'erased' : 'active',
        ]);
        print(all, list(paint, ['id', 'name', 'created', 'state'], rows, 'There are no tenants.'));
      }),
  );
  withCommonOptions(
    tenants.command('create').description('Make a tenant with its own admin key.').argument('<name>'),
    ['tenants create "Acme"'],
    'The key is shown once, on standard output.',
  ).action((name: string, options: CommonOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const response = await client.createTenant({ name }, { signal });
      print(response, `${response.data.key}\n${paint.dim(`id ${response.data.id}; the key is shown this once.`)}`);
    }),
  );
  withCommonOptions(tenants.command('show').description('The settings of your tenant.'), ['tenants show']).action(
    (options: CommonOptions) =>
      withClient(context, options, async ({ client, signal, print }) => {
        const { data } = await client.tenant({}, { signal });
        print(data, render(data));
      }),
  );
  withCommonOptions(
    tenants
      .command('set')
      .description('Change the settings of your tenant.')
      .option('--name <name>')
      .addOption(
        new Option('--external-models <consent>', 'may content go to an external model?').choices([
          'yes',
          'no',
          'unsaid',
        ]),
      )
      .addOption(new Option('--audit-query-text <keep>', 'keep what is asked as text?').choices(['yes', 'no']))
      .option('--retention <kind=days...>', `days or "forever" of ${RETENTION_KIND_NAMES.join(', ')}`),
    ['tenants set --external-models yes', 'tenants set --retention queryText=90 auditEvents=2555 feedback=forever'],
  ).action((options: SetOptions) =>
    withClient(context, options, async ({ client, signal, print }) => {
      const { name, externalModels, auditQueryText, retention } = options;
      const { data } = await client.updateTenant(
        {
          ...(name === undefined ? {} : { name }),
          ...(externalModels === undefined
            ? {}
            : { externalModels: externalModels === 'unsaid' ? null : externalModels === 'yes' }),
          ...(auditQueryText === undefined ? {} : { auditQueryText: auditQueryText === 'yes' }),
          ...(retention === undefined ? {} : { retention: readRetention(retention) }),
        },
        { signal },
      );
      print(data, render(data));
    }),
  );
}

function readRetention(entries: readonly string[]): Partial<Record<RetentionKind, number | null>> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [, kind = '', days = ''] = /^([A-Za-z]+)=(\d+|forever)$/.exec(entry) ?? [];
      if (!(RETENTION_KIND_NAMES as readonly string[]).includes(kind))
        throw new AppError('REQUEST.INVALID', {
          message: `--retention ${entry} must be <kind>=<days> or <kind>=forever, with a kind of ${RETENTION_KIND_NAMES.join(', ')}.`,
        });
      return [kind, days === 'forever' ? null : Number(days)];
    }),
  );
}

function render({
  name,
  id,
  externalModelsAllowed,
  externalModels,
  auditQueryText,
  retention,
}: TenantSettings): string {
  const said = externalModels === null ? ' (not said)' : '';
  return [
    `${name} ${id}`,
    `content to external models: ${externalModelsAllowed ? 'yes' : 'no'}${said}`,
    `text of queries in the audit trail: ${auditQueryText ? 'kept' : 'only a digest'}`,
    ...RETENTION_KIND_NAMES.map((kind) => `${kind}: ${retention[kind] === null ? 'kept' : `${retention[kind]} days`}`),
  ].join('\n');
}
