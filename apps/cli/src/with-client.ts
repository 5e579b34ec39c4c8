import type { Command } from 'commander';
import { createCandorClient, type CandorClient } from '@candor/client';
import { AppError } from '@candor/contracts';
import pico from 'picocolors';
import { wholeNumber } from './commands/read-options.js';
import { readConnection } from './config.js';
import { ImportProgress } from './import/import-progress.js';
import type { CliContext } from './run-cli.js';

export interface CommonOptions {
  url?: string;
  /** Longest time of a call, seconds. */
  deadline: number;
  json: boolean;
}

/** Longer than a gateway lets a question take where it is not set otherwise (`REASON_DEADLINE_MS`): its own answer comes, also a late one. */
const DEFAULT_DEADLINE_SECONDS = 120;
/** Node's `fetch` waits no longer for an answer to begin. */
const LONGEST_DEADLINE_SECONDS = 300;

/** What a command works with. */
export interface CliTools {
  client: CandorClient;
  /** Fires on Ctrl-C; give it to every call. */
  signal: AbortSignal;
  paint: Paint;
  progress: ImportProgress;
  /** Prints the JSON with `--json`, else the text. */
  print: (json: unknown, text: string) => void;
}

export type Paint = ReturnType<typeof pico.createColors>;

export const ENVIRONMENT_HELP = `
Environment:
  CANDOR_URL            address of the gateway (default http://127.0.0.1:3000)
  CANDOR_API_KEY        API key; CANDOR_API_KEY_FILE names a file that holds it
  NO_COLOR              no colors`;

/** The options that every command has, and its examples. */
export function withCommonOptions(command: Command, examples: readonly string[], notes = ''): Command {
  const lines = examples.map((example) => `  $ candor ${example}`).join('\n');
  return command
    .option('--url <url>', 'address of the gateway, before CANDOR_URL')
    .option(
      '--deadline <seconds>',
      'longest time that an answer of the gateway may take, with retries',
      wholeNumber(1, LONGEST_DEADLINE_SECONDS),
      DEFAULT_DEADLINE_SECONDS,
    )
    .option('--json', 'print the API’s own JSON', false)
    .addHelpText('after', `\nExamples:\n${lines}\n${ENVIRONMENT_HELP}${notes === '' ? '' : `\n\n${notes}`}`);
}

export function paintFor({ environment, streams }: CliContext): Paint {
  return pico.createColors(streams.out.isTTY === true && environment['NO_COLOR'] === undefined);
}

/** Runs a command's work with a client; Ctrl-C ends its calls, and is what is thrown then. */
export async function withClient(
  context: CliContext,
  options: CommonOptions,
  work: (tools: CliTools) => Promise<void>,
): Promise<void> {
  const { environment, streams } = context;
  const connection = readConnection(environment, options);
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new AppError('REQUEST.CANCELLED', { message: 'Interrupted.' }));
  process.once('SIGINT', interrupt);
  const progress = new ImportProgress(streams.error, !options.json);
  try {
    await work({
      client: createCandorClient({ ...connection, deadlineMs: options.deadline * 1_000 }),
      signal: interrupted.signal,
      paint: paintFor(context),
      progress,
      print: (json, text) =>
        void streams.out.write(options.json ? `${JSON.stringify(json, null, 2)}\n` : text.replace(/\n*$/, '\n')),
    });
  } catch (error) {
    // Whatever the signal broke off says it in words of its own.
    interrupted.signal.throwIfAborted();
    throw error;
  } finally {
    progress.stop();
    process.removeListener('SIGINT', interrupt);
  }
}
