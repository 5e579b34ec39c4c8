import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { AppError, type IngestDocument } from '@candor/contracts';
import { EXIT } from '../exit-codes.js';
import { readDocumentLines } from '../import/read-document-lines.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CliTools, type CommonOptions } from '../with-client.js';

interface IngestOptions extends CommonOptions {
  title?: string;
  id?: string;
  tag: string[];
  wait: boolean;
}

const POLL_MS = 1_000;
/** POST /v1/ingest takes 500; a smaller call is answered sooner. */
const BATCH = 100;

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
    'All of it is checked before anything is sent: a line that is no document ends the command. For files, folders and\nexports there is `candor import`.\nExit code: 0 done, 1 with --wait: some failed, 2 nothing was done.',
  ).action((path: string, options: IngestOptions) =>
    withClient(context, options, async (tools) => {
      const documents =
        options.title === undefined ? await readDocuments(path) : [toDocument(path, options.title, options)];
      const accepted = [];
      for (let start = 0; start < documents.length; start += BATCH) {
        const { client, signal } = tools;
        accepted.push(await client.ingest({ documents: documents.slice(start, start + BATCH) }, { signal }));
      }
      const items = accepted.flatMap((response) => response.items);
      const requestIds = accepted.map(({ requestId }) => requestId);
      const failed = options.wait ? await follow(requestIds, items.length, tools) : [];
      const skipped = items.filter(({ status }) => status === 'skipped').length;
      tools.print(
        { requestIds, items, failed },
        [
          `${items.length - skipped} accepted, ${skipped} unchanged, ${failed.length} failed`,
          ...failed.map(({ externalId, message }) => `  ${externalId}: ${message}`),
        ].join('\n'),
      );
      if (failed.length > 0) context.setExitCode(EXIT.someFailed);
    }),
  );
}

async function readDocuments(path: string): Promise<IngestDocument[]> {
  const documents: IngestDocument[] = [];
  for await (const entry of readDocumentLines(path === '-' ? '/dev/stdin' : path)) {
    if (entry.kind === 'document') documents.push(entry.document);
    else
      throw new AppError('REQUEST.INVALID', {
        message: 'message' in entry ? `${entry.name}: ${entry.message}` : entry.name,
      });
  }
  if (documents.length === 0) throw new AppError('REQUEST.INVALID', { message: `${path} holds no documents.` });
  return documents;
}

function toDocument(body: string, title: string, { id = title, tag }: IngestOptions): IngestDocument {
  return { provider: 'upload', sourceKind: 'document', externalId: id, title, body, mimeType: 'text/plain', tags: tag };
}

/** Until each has ended; those that failed. */
async function follow(
  requestIds: readonly string[],
  total: number,
  { client, signal, progress }: CliTools,
): Promise<{ externalId: string; message: string }[]> {
  progress.start('Indexing', total);
  const failed: { externalId: string; message: string }[] = [];
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
  return failed;
}
