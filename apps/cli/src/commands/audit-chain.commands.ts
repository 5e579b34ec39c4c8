import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { verifyExport, type PublicKeys } from '@candor/audit/chain';
import { toApiError, type CandorClient } from '@candor/client';
import {
  AppError,
  auditChainSchema,
  type AuditFinding,
  type AuditHead,
  type AuditVerification,
} from '@candor/contracts';
import { readConnection } from '../config.js';
import { EXIT } from '../exit-codes.js';
import { readJson, readLines } from '../read-input.js';
import type { CliContext } from '../run-cli.js';
import { paintFor, withClient, withCommonOptions, type CommonOptions, type Paint } from '../with-client.js';
import { wholeNumber } from './read-options.js';

interface VerifyOptions extends CommonOptions {
  file?: string;
  trust?: string;
}

export function addAuditChainCommands(audit: Command, context: CliContext): void {
  withCommonOptions(
    audit
      .command('chain')
      .description('How far the trail is sealed, its signed head and the public keys; keep it elsewhere.'),
    ['audit chain --json > head-2026-05.json'],
  ).action((_options: unknown, command: Command) =>
    withClient(context, command.optsWithGlobals<CommonOptions>(), async ({ client, signal, print }) => {
      const { data } = await client.auditChain({}, { signal });
      const head = data.head
        ? `head ${data.head.digest} (batch ${data.head.batch}, key ${data.head.keyId})`
        : 'no head yet';
      const broken = data.brokenSince
        ? `\nNot continued since ${data.brokenSince}: its end is not as it was sealed.`
        : '';
      print(
        data,
        `${data.sealedEvents} events sealed in ${data.batches} batches; ${unsealed(data)}.\n${head}${broken}`,
      );
    }),
  );
  withCommonOptions(
    audit
      .command('export')
      .description('Write the whole trail with its chain as NDJSON.')
      .option('--out <path>', 'file to write; default: standard output')
      .option('--from-batch <number>', 'first batch', wholeNumber(1, 2_147_483_647), 1),
    ['audit export --out audit.ndjson'],
  ).action((_options: unknown, command: Command) => exportTrail(context, command.optsWithGlobals()));
  withCommonOptions(
    audit
      .command('verify')
      .description('Recompute the chain: which event or batch was altered, removed, inserted or moved, if any.')
      .option('--file <path>', 'an export, verified without the server; - for standard input')
      .option(
        '--trust <path>',
        'with --file: JSON of an earlier `audit chain --json`, whose keys and head are trusted',
      ),
    ['audit verify', 'audit verify --file audit.ndjson --trust head-2026-05.json'],
    'Exit code: 0 intact, 1 something is wrong. Events that are not sealed yet are counted and proved by nothing.',
  ).action((_options: unknown, command: Command) => {
    const options = command.optsWithGlobals<VerifyOptions>();
    return options.file === undefined ? verifyOnline(context, options) : verifyFile(context, options, options.file);
  });
}

async function exportTrail(
  context: CliContext,
  options: CommonOptions & { out?: string; fromBatch: number },
): Promise<void> {
  const response = await requestExport(context, options);
  if (!response.ok || !response.body)
    throw toApiError(response.status, response.headers, await response.json().catch(() => null));
  const out = options.out === undefined ? context.streams.out : createWriteStream(options.out, { mode: 0o600 });
  await pipeline(exportedParts(response.body), out, { end: options.out !== undefined });
}

/** The deadline is that of its beginning: a long trail takes as long as it takes. */
async function requestExport(
  { environment }: CliContext,
  options: CommonOptions & { fromBatch: number },
): Promise<Response> {
  const { url, apiKey } = readConnection(environment, options);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.deadline * 1_000);
  try {
    return await fetch(`${url}/v1/audit-events/export?fromBatch=${options.fromBatch}`, {
      headers: { authorization: `API-Key ${apiKey}` },
      signal: deadline.signal,
    });
  } catch (cause) {
    if (deadline.signal.aborted)
      throw new AppError('DEADLINE.EXCEEDED', { message: 'The deadline passed before an answer came.', cause });
    throw new AppError('DEPENDENCY.GATEWAY_UNAVAILABLE', { message: `${url} cannot be reached.`, cause });
  } finally {
    clearTimeout(timer);
  }
}

/** The same bytes; a connection that breaks is told as that. */
async function* exportedParts(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of body) yield part;
  } catch (cause) {
    throw new AppError('DEPENDENCY.GATEWAY_UNAVAILABLE', {
      message: 'The export broke off; what was written is not the whole trail.',
      cause,
    });
  }
}

function verifyOnline(context: CliContext, options: VerifyOptions): Promise<void> {
  return withClient(context, options, async ({ client, signal, paint, print }) => {
    const verification = await verifyAll(client, signal);
    const { intact, findings, events, toBatch } = verification;
    const text = `${events} events in ${toBatch ?? 0} batches; ${unsealed(verification)}.`;
    print(verification, [verdict(intact, findings, paint), text, ...expired(verification)].join('\n'));
    if (!intact) context.setExitCode(EXIT.someFailed);
  });
}

/** A request looks at a bounded number of batches. */
async function verifyAll(client: CandorClient, signal: AbortSignal): Promise<AuditVerification> {
  let { data: whole } = await client.verifyAudit({}, { signal });
  while (whole.nextBatch !== null) {
    const { data } = await client.verifyAudit({ fromBatch: whole.nextBatch }, { signal });
    whole = {
      ...data,
      fromBatch: whole.fromBatch,
      intact: whole.intact && data.intact,
      findings: [...whole.findings, ...data.findings],
      events: whole.events + data.events,
      expiredBatches: whole.expiredBatches + data.expiredBatches,
      expiredEvents: whole.expiredEvents + data.expiredEvents,
      erasedEvents: whole.erasedEvents + data.erasedEvents,
    };
  }
  return whole;
}

async function verifyFile(context: CliContext, options: VerifyOptions, path: string): Promise<void> {
  const trusted = options.trust === undefined ? undefined : await readTrust(options.trust, context.streams.in);
  const verification = await verifyExport(readLines(path === '-' ? context.streams.in : path), {
    trustedKeys: trusted?.keys,
    keptHeads: trusted?.heads,
  });
  const paint = paintFor(context);
  const { intact, findings, events, fromBatch, toBatch, unsealedEvents, keysFrom } = verification;
  const lines = [
    verdict(intact, findings, paint),
    `${events} events in batches ${fromBatch} to ${toBatch ?? '-'}; ${unsealedEvents} events are not sealed yet.`,
    ...expired(verification),
    ...(keysFrom === 'export'
      ? ['The keys are the export’s own: this shows that it is whole, not who signed it. Give --trust for that.']
      : []),
  ];
  context.streams.out.write(options.json ? `${JSON.stringify(verification, null, 2)}\n` : `${lines.join('\n')}\n`);
  if (!intact) context.setExitCode(EXIT.someFailed);
}

/** Of a release whose answer said less or more, too: a head is kept for years. */
const trustSchema = auditChainSchema.pick({ keys: true, head: true }).strip();

async function readTrust(
  path: string,
  stdin: NodeJS.ReadableStream,
): Promise<{ keys: PublicKeys; heads: AuditHead[] }> {
  const parsed = trustSchema.safeParse(await readJson(path, stdin));
  if (!parsed.success)
    throw new AppError('REQUEST.INVALID', { message: `${path} is not what \`candor audit chain --json\` prints.` });
  const { keys, head } = parsed.data;
  return { keys: new Map(keys.map(({ keyId, publicKey }) => [keyId, publicKey])), heads: head ? [head] : [] };
}

function verdict(intact: boolean, findings: readonly AuditFinding[], paint: Paint): string {
  if (intact) return paint.green('Intact.');
  const lines = findings.map(
    ({ type, batch, eventId, message }) =>
      `${paint.red(type)} ${batch === null ? '' : `batch ${batch} `}${eventId ?? ''} ${paint.dim(message)}`,
  );
  return [paint.red('Not as it was sealed:'), ...lines].join('\n');
}

/** Whether they were due is for the reader to say, who knows the rule: a record is written by whoever may remove. */
function expired({
  expiredBatches,
  expiredEvents,
}: Pick<AuditVerification, 'expiredBatches' | 'expiredEvents'>): string[] {
  if (expiredBatches === 0) return [];
  return [
    `Retention removed ${expiredEvents} events in ${expiredBatches} batches, the oldest ones; see \`audit.expire\`.`,
  ];
}

function unsealed({
  unsealedEvents,
  oldestUnsealedAt,
}: Pick<AuditVerification, 'unsealedEvents' | 'oldestUnsealedAt'>): string {
  if (unsealedEvents === 0) return 'every event is sealed';
  return `${unsealedEvents} events are not sealed yet, the oldest of ${oldestUnsealedAt ?? 'unknown time'}`;
}
