import { InvalidArgumentError, Option, type Command } from 'commander';
import { FileReader } from '@candor/extraction';
import { ImportGateway } from '../client/import-gateway.js';
import { readConnection } from '../config.js';
import { EXIT } from '../exit-codes.js';
import type { ReadOptions } from '../import/import-entry.js';
import type { ImportReport } from '../import/import-report.js';
import { ImportProgress } from '../import/import-progress.js';
import { readEntries } from '../import/read-entries.js';
import { runImport } from '../import/run-import.js';
import { waitForIndexing } from '../import/wait-for-indexing.js';
import { complain, exitCodeOf } from '../refusal.js';
import type { CliContext } from '../run-cli.js';

interface ImportOptions extends ReadOptions {
  url?: string;
  tag: string[];
  concurrency: number;
  wait: boolean;
  json: boolean;
}

const EXAMPLES = `
Examples:
  $ candor import handbook.pdf notes/ 'contracts/**/*.docx' --wait
  $ candor import slack-export.zip --workspace-url https://acme.slack.com
  $ candor import Export-1234.zip --as notion --workspace Acme
  $ candor import archive.mbox --mailbox ada@acme.example
  $ candor import documents.ndjson --json > report.json

Environment:
  CANDOR_URL            address of the gateway (default http://127.0.0.1:3000)
  CANDOR_API_KEY        API key with the actions documents:write and ingest
  CANDOR_API_KEY_FILE   file that holds it instead

Running the same import again sends nothing twice: unchanged items are skipped, changed ones become new versions.
Exit code: 0 all imported or skipped, 1 some failed or it broke off after some were accepted, 2 nothing was accepted,
130 interrupted. What failed, and what ended it, is listed at the end.`;

export function addImportCommand(program: Command, context: CliContext): void {
  program
    .command('import')
    .description(
      'Import files, folders, NDJSON of documents, Slack and Notion exports (zip or unpacked) and mbox files.',
    )
    .argument('<path...>', 'files, folders or patterns')
    .addOption(
      new Option('--as <kind>', 'what the paths are')
        .choices(['auto', 'files', 'documents', 'slack', 'notion', 'mbox'])
        .default('auto'),
    )
    .option('--url <url>', 'address of the gateway, before CANDOR_URL')
    .option('--prefix <text>', 'before the external ids of files, which are their paths', '')
    .option('--tag <tag...>', 'tags of everything imported', [])
    .option('--workspace-url <url>', 'Slack: address of the workspace, for links')
    .option('--channels <name...>', 'Slack: only these channels (names or ids)')
    .option('--workspace <name>', 'Notion: name of the workspace')
    .option('--mailbox <address>', 'mbox: whose mailbox it is; only they may read it')
    .option('--concurrency <count>', 'files sent at once', readCount, 4)
    .option('--wait', 'follow until everything is searchable', false)
    .option('--json', 'print the report as JSON', false)
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], options: ImportOptions) => importPaths(paths, options, context));
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 16) throw new InvalidArgumentError('A number from 1 to 16.');
  return count;
}

async function importPaths(paths: string[], options: ImportOptions, context: CliContext): Promise<void> {
  const { environment, streams, setExitCode } = context;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  const client = new ImportGateway(readConnection(environment, options), interrupted.signal);
  const reader = new FileReader();
  const progress = new ImportProgress(streams.error, !options.json);
  try {
    progress.start('Sending ', 0);
    const report = await runImport(readEntries(paths, options, reader), client, {
      tags: options.tag,
      concurrency: options.concurrency,
      onProgress: ({ settled, found }) => progress.update(settled, found),
    });
    progress.stop();
    const { error: obstacle } = report;
    if (obstacle && report.settled === 0) throw obstacle;
    const waits = options.wait && obstacle === null;
    if (waits && report.requestIds.length > 0) {
      progress.start('Indexing', report.accepted);
      const onProgress = (ended: number): void => progress.update(ended, report.accepted);
      await waitForIndexing(client, report, { signal: interrupted.signal, onProgress });
    }
    progress.stop();
    streams.out.write(options.json ? `${JSON.stringify(report.toJson(), null, 2)}\n` : report.toText(waits));
    if (report.error) complain(report.error, options.json, streams);
    setExitCode(exitCodeOfReport(report));
  } finally {
    progress.stop();
    process.removeListener('SIGINT', interrupt);
    await reader.close();
  }
}

function exitCodeOfReport({ error, accepted, failed }: ImportReport): number {
  if (error) return exitCodeOf(error, accepted > 0);
  return failed.length > 0 ? EXIT.someFailed : EXIT.done;
}
