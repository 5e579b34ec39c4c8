import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { AppError, type IngestDocument, type IngestResponse } from '@candor/contracts';
import { EXIT } from '../exit-codes.js';
import { DocumentBatch } from '../import/document-batch.js';
import { readDocumentLines } from '../import/read-document-lines.js';
import { complain, errorJson, exitCodeOf, toRefusal } from '../refusal.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CliTools, type CommonOptions } from '../with-client.js';

interface IngestOptions extends CommonOptions {
  title?: string;
  id?: string;
  tag: string[];
  wait: boolean;
}

/** What was accepted, also when something ends the command before its end. */
interface Pushed {
  readonly requestIds: string[];
  readonly items: IngestResponse['items'];
  readonly failed: { externalId: string; message: string }[];
}

const POLL_MS = 1_000;

export function addIngestCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('ingest')
      .description('Push documents as the API takes them: NDJSON of a file or of standard input, or one text.')
      .argument('<path>', 'NDJSON file, - for standard input; with --title the text itself')
      .option('--title <text>', 'push the argument as one document of this title')
      .option('--id <externalId>', 'of that document; default: its title')
      .option('--tag <tag...>', 'tags of that document', [])
      .option('--wait', 'follow until everything is searchable', false),
    [
      'ingest documents.ndjson --wait',
      'cat documents.ndjson | candor ingest -',
      'ingest "We keep lime-green." --title "Brand"',
    ],
    'All of it is checked before anything is sent: a line that is no document ends the command. For files, folders and\nexports there is `candor import`.\nExit code: 0 done, 1 it broke off after some were accepted, or with --wait some failed, 2 nothing was done, 130 interrupted.',
  ).action((path: string, options: IngestOptions) =>
    withClient(context, options, async (tools) => {
      const documents =
        options.title === undefined ? await readDocuments(path, context) : [toDocument(path, options.title, options)];
      const pushed: Pushed = { requestIds: [], items: [], failed: [] };
      const obstacle = await push(documents, pushed, options.wait, tools);
      tools.print({ ...pushed, error: obstacle && errorJson(obstacle) }, render(pushed, documents.length, obstacle));
      if (obstacle) complain(obstacle, options.json, context.streams);
      const isPartlyDone = pushed.items.some(({ status }) => status === 'accepted');
      if (obstacle) context.setExitCode(exitCodeOf(obstacle, isPartlyDone));
      else if (pushed.failed.length > 0) context.setExitCode(EXIT.someFailed);
    }),
  );
}

/**
 * Sends all, and with `waits` follows them; `pushed` says what came of it.
 * @returns what ended it after something was accepted, null when it came to its end
 * @throws what ended it before
 */
async function push(
  documents: readonly IngestDocument[],
  pushed: Pushed,
  waits: boolean,
  tools: CliTools,
): Promise<AppError | null> {
  const { client, signal } = tools;
  const batch = new DocumentBatch(async (some) => {
    const { requestId, items } = await client.ingest({ documents: [...some] }, { signal });
    pushed.requestIds.push(requestId);
    pushed.items.push(...items);
  });
  try {
    for (const document of documents) await batch.add(document);
    await batch.flush();
    if (waits) await follow(pushed, tools);
    return null;
  } catch (thrown) {
    if (pushed.items.length === 0) throw thrown;
    return toRefusal(signal.aborted ? signal.reason : thrown);
  }
}

function render({ requestIds, items, failed }: Pushed, total: number, obstacle: AppError | null): string {
  const skipped = items.filter(({ status }) => status === 'skipped').length;
  const counts = [`${items.length - skipped} accepted`, `${skipped} unchanged`, `${failed.length} failed`];
  if (total > items.length) counts.push(`${total - items.length} not sent`);
  return [
    counts.join(', '),
    ...failed.map(({ externalId, message }) => `  ${externalId}: ${message}`),
    // GET /v1/ingestions/:requestId says what becomes of each.
    ...(obstacle ? [`sent in the requests ${requestIds.join(', ')}`] : []),
  ].join('\n');
}

async function readDocuments(path: string, { streams }: CliContext): Promise<IngestDocument[]> {
  const documents: IngestDocument[] = [];
  for await (const entry of readDocumentLines(path === '-' ? streams.in : path)) {
    if (entry.kind === 'document') documents.push(entry.document);
    else
      throw new AppError('REQUEST.INVALID', {
        message: 'message' in entry ? `${entry.name}: ${entry.message}` : entry.name,
      });
  }
  if (documents.length === 0)
    throw new AppError('REQUEST.INVALID', {
      message: `${path === '-' ? 'Standard input' : path} holds no documents.`,
    });
  return documents;
}

function toDocument(body: string, title: string, { id = title, tag }: IngestOptions): IngestDocument {
  return { provider: 'upload', sourceKind: 'document', externalId: id, title, body, mimeType: 'text/plain', tags: tag };
}

/** Until each has ended; those that failed join what was pushed. */
async function follow(
  { requestIds, items: pushed, failed }: Pushed,
  { client, signal, progress }: CliTools,
): Promise<void> {
  const total = pushed.length;
  progress.start('Indexing', total);
  let ended = 0;
  for (const requestId of requestIds) {
    for (;;) {
      const { done, items } = await client.ingestion({ requestId }, { signal });
      const here = items.filter(({ status }) => status === 'indexed' || status === 'failed' || status === 'skipped');
      progress.update(ended + here.length, total);
      if (!done) {
        await sleep(POLL_MS, undefined, { signal });
        continue;
      }
      ended += items.length;
      for (const { externalId, status, error } of items)
        if (status === 'failed') failed.push({ externalId, message: error?.message ?? 'It failed.' });
      break;
    }
  }
  progress.stop();
}
