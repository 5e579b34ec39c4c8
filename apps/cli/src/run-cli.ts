import { Command, CommanderError } from 'commander';
import { AppError } from '@candor/contracts';
import type { Environment } from './config.js';
import { addImportCommand } from './commands/import.command.js';
import { EXIT } from './exit-codes.js';

/** Where a command writes: results to `out`, progress and complaints to `error`. */
export interface CliStreams {
  out: NodeJS.WritableStream;
  error: NodeJS.WritableStream & { isTTY?: boolean };
}

export interface CliContext {
  environment: Environment;
  streams: CliStreams;
  setExitCode: (code: number) => void;
}

/** Runs one command line; its exit code. */
export async function runCli(args: readonly string[], environment: Environment, streams: CliStreams): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = new Command('candor')
    .description('Command line of Candor, the context gateway.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.out.write(text),
      writeErr: (text) => streams.error.write(text),
    })
    .showHelpAfterError('(candor <command> --help shows examples)');
  addImportCommand(program, { environment, streams, setExitCode: (code) => (exitCode = code) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.refused;
    if (!(error instanceof AppError)) throw error;
    streams.error.write(`${error.message}\n`);
    return error.code === 'REQUEST.CANCELLED' ? EXIT.interrupted : EXIT.refused;
  }
}
