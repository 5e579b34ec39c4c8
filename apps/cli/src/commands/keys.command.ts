import { Option, type Command } from 'commander';
import { ACTIONS, PROVIDERS, type Action, type ActorType, type ApiKeyView, type Provider } from '@candor/contracts';
import { listAll } from '@candor/client';
import { collect } from '../collect.js';
import { list } from '../format.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions } from '../with-client.js';
import { wholeNumber } from './read-options.js';

interface CreateOptions extends CommonOptions {
  action: Action[];
  actor: ActorType;
  provider?: Provider[];
  principal?: string[];
  rateLimit?: number;
  limit: boolean;
  expires?: string;
}

export function addKeysCommand(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('List, create, rotate and revoke API keys.');
  addList(keys, context);
  addCreate(keys, context);
  withCommonOptions(
    keys
      .command('rotate')
      .description('Make a second secret; the one in use stops after the overlap.')
      .argument('<id>', 'of the key')
      .option('--overlap <seconds>', 'how long the secret in use stays valid', wholeNumber(0, 30 * 86_400)),
    ['keys rotate <id> --overlap 3600'],
  ).action((id: string, options: CommonOptions & { overlap?: number }) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const response = await client.rotateApiKey({ id, overlapSeconds: options.overlap }, { signal });
      print(response, `${response.data.key}\n${paint.dim('It is shown this once.')}`);
    }),
  );
  withCommonOptions(keys.command('revoke').description('Revoke a key; it holds at once.').argument('<id>'), [
    'keys revoke <id>',
  ]).action((id: string, options: CommonOptions) =>
    withClient(context, options, async ({ client, signal, print }) => {
      const response = await client.revokeApiKey({ id }, { signal });
      print(response, 'Revoked.');
    }),
  );
}

function addList(keys: Command, context: CliContext): void {
  withCommonOptions(keys.command('list').description('List the keys of the tenant.'), ['keys list']).action(
    (options: CommonOptions) =>
      withClient(context, options, async ({ client, signal, paint, print }) => {
        const all = await collect(listAll(client, 'listApiKeys', {}, { signal }));
        const rows = all.map((key) => [key.id, key.name, key.actorType, stateOf(key), key.allowedActions.join(' ')]);
        print(all, list(paint, ['id', 'name', 'actor', 'state', 'actions'], rows, 'There are no keys.'));
      }),
  );
}

function addCreate(keys: Command, context: CliContext): void {
  withCommonOptions(
    keys
      .command('create')
      .description('Create a key. Nobody can grant what they do not have.')
      .argument('<name>', 'what it is for')
      .addOption(
        new Option('--action <name...>', 'what it may do')
          .choices(ACTIONS)
          .default(['search', 'context', 'reason', 'documents:read']),
      )
      .addOption(
        new Option('--actor <type>', 'who uses it').choices(['agent', 'application', 'admin']).default('agent'),
      )
      .addOption(new Option('--provider <name...>', 'only these providers').choices(PROVIDERS))
      .option('--principal <identity...>', 'acts for these identities, e.g. user:ada@acme.example')
      .option('--rate-limit <count>', 'requests a minute and action', wholeNumber(1, 1_000_000))
      .option('--no-limit', 'no rate limit')
      .option('--expires <instant>', 'ISO 8601'),
    [
      'keys create "Support agent" --provider notion slack',
      'keys create Importer --action documents:write ingest --json',
    ],
    'The secret is shown once, on standard output.',
  ).action((name: string, options: CreateOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const { action, actor, provider = null, principal = null, rateLimit, limit, expires } = options;
      const response = await client.createApiKey(
        {
          name,
          actorType: actor,
          allowedActions: action,
          allowedProviders: provider,
          principals: principal,
          rateLimitPerMinute: limit ? rateLimit : null,
          expiresAt: expires,
        },
        { signal },
      );
      print(response, `${response.data.key}\n${paint.dim(`id ${response.data.id}; the key is shown this once.`)}`);
    }),
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : `until ${expiresAt}`;
}
