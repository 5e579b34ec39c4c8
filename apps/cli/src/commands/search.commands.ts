import { Option, type Command } from 'commander';
import { PROVIDERS, type ContextContract, type Provider } from '@candor/contracts';
import { indent, oneLine } from '../format.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions, type Paint } from '../with-client.js';
import { wholeNumber } from './read-options.js';

interface SearchOptions extends CommonOptions {
  limit?: number;
  provider?: Provider[];
  collection?: string;
  item?: string;
  asOf?: string;
  ranking?: 'similarity' | 'fused';
}

interface ContextOptions extends SearchOptions {
  contractVersion?: '1.0' | '1.1';
}

type Hits = ContextContract['hits'];

export function addSearchCommand(program: Command, context: CliContext): void {
  withCommonOptions(withScope(program.command('search').description('Find source items; the hits alone.')), [
    'search brand color',
    'search "notice period" --provider notion gmail --limit 3',
  ]).action((query: string[], options: SearchOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const response = await client.search(toRequest(query, options), { signal });
      print(response, renderHits(response.hits, paint));
    }),
  );
}

export function addContextCommand(program: Command, context: CliContext): void {
  const command = withScope(
    program.command('context').description('Find source items, with what was left out and why (the Context Contract).'),
  ).addOption(new Option('--contract-version <version>', 'of the envelope').choices(['1.0', '1.1']).default('1.1'));
  withCommonOptions(command, [
    'context brand color',
    'context "What does the Team plan cost?" --as-of 2026-01-01T00:00:00Z --json',
  ]).action((query: string[], options: ContextOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const { contractVersion } = options;
      const contract = await client.context({ ...toRequest(query, options), contractVersion }, { signal });
      print(contract, renderContract(contract, paint));
    }),
  );
}

function withScope(command: Command): Command {
  return command
    .argument('<query...>', 'what to look for')
    .option('--limit <count>', 'most hits', wholeNumber(1, 25))
    .addOption(new Option('--provider <name...>', 'only these providers').choices(PROVIDERS))
    .option('--collection <id>', 'only items of this collection')
    .option('--item <id>', 'only this item')
    .option('--as-of <instant>', 'what was known then (ISO 8601)')
    .addOption(new Option('--ranking <order>', 'order of the hits').choices(['similarity', 'fused']));
}

function toRequest(query: string[], { limit, provider, collection, item, asOf, ranking }: SearchOptions) {
  return {
    query: query.join(' '),
    limit,
    providers: provider,
    collectionId: collection,
    sourceItemId: item,
    knownAsOf: asOf,
    ranking,
  };
}

function renderContract({ contract, hits, exclusions, limitations }: ContextContract, paint: Paint): string {
  const left = exclusions.map((exclusion) => {
    const count = 'count' in exclusion && exclusion.count !== null ? ` ×${exclusion.count}` : '';
    return `${paint.yellow(exclusion.type)} ${exclusion.provider ?? 'all providers'}${count}: ${exclusion.reason}`;
  });
  return [
    renderHits(hits, paint),
    ...(left.length > 0 ? ['', paint.bold('Left out'), ...left] : []),
    ...(limitations.length > 0
      ? ['', paint.bold('Limitations'), ...limitations.map(({ code, message }) => `${paint.yellow(code)}: ${message}`)]
      : []),
    '',
    paint.dim(`contract ${contract.version}, request ${contract.requestId}`),
  ].join('\n');
}

function renderHits(hits: Hits, paint: Paint): string {
  if (hits.length === 0) return 'Nothing was found.';
  return hits
    .map((hit, index) => {
      const age = hit.freshness ? `${hit.freshness.ageHours} h old` : 'age unknown';
      const ids = 'chunkId' in hit ? `item ${hit.sourceItemId}, chunk ${hit.chunkId}` : `item ${hit.sourceItemId}`;
      return [
        `${paint.cyan(`[${index + 1}]`)} ${paint.bold(oneLine(hit.title))} ${paint.dim(`${hit.provider}, score ${hit.score}, ${age}`)}`,
        ...(hit.url === null ? [] : [indent(paint.underline(hit.url), '    ')]),
        indent(hit.content.trim(), '    '),
        indent(paint.dim(ids), '    '),
      ].join('\n');
    })
    .join('\n\n');
}
