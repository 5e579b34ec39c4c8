import { Option, type Command } from 'commander';
import { AUDIT_ACTIONS, type AuditAction, type AuditEventView } from '@candor/contracts';
import { listAll } from '@candor/client';
import { collect } from '../collect.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions, type Paint } from '../with-client.js';
import { addAuditChainCommands } from './audit-chain.commands.js';
import { wholeNumber } from './read-options.js';

interface AuditOptions extends CommonOptions {
  request?: string;
  action?: AuditAction;
  from?: string;
  to?: string;
  limit: number;
}

export function addAuditCommand(program: Command, context: CliContext): void {
  const audit = program.command('audit');
  addAuditChainCommands(audit, context);
  withCommonOptions(
    audit
      .description('Read the audit trail, newest first; export and verify it.')
      .option('--request <id>', 'of one request: its X-Request-Id')
      .addOption(new Option('--action <name>', 'only this action').choices(Object.keys(AUDIT_ACTIONS)))
      .option('--from <instant>', 'ISO 8601')
      .option('--to <instant>', 'ISO 8601')
      .option('--limit <count>', 'most events', wholeNumber(1, 10_000), 50),
    ['audit --request <requestId>', 'audit --action access.denied --from 2026-01-01T00:00:00Z --json'],
  ).action((options: AuditOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const { request, action, from, to, limit } = options;
      const filter = { requestId: request, action, from, to, limit: Math.min(limit, 100) };
      const events = await collect(listAll(client, 'auditEvents', filter, { signal }), limit);
      print(
        events,
        events.length > 0 ? events.map((event) => renderEvent(event, paint)).join('\n') : 'There are no such events.',
      );
    }),
  );
}

function renderEvent(
  { createdAt, action, outcome, actorType, requestId, targetId, metadata, erased, seal }: AuditEventView,
  paint: Paint,
): string {
  const color = outcome === 'succeeded' || outcome === 'accepted' ? paint.green : paint.red;
  const query = typeof metadata['query'] === 'string' ? ` “${metadata['query']}”` : '';
  const gone = erased ? ` ${paint.dim('(erased)')}` : '';
  const sealed = seal.state === 'sealed' ? `sealed in batch ${seal.batch}` : 'not sealed yet';
  const target = targetId === null ? '' : ` → ${targetId}`;
  return `${paint.dim(createdAt)} ${paint.bold(action)} ${color(outcome)} by ${actorType}${target}${query}${gone} ${paint.dim(`${requestId}, ${sealed}`)}`;
}
