import { Command, CommanderError } from 'commander';
import { CandorError } from '@candor/client';
import { AppError } from '@candor/contracts';
import { toAppError } from './client/import-gateway.js';
import type { Environment } from './config.js';
import { addAskCommand } from './commands/ask.command.js';
import { addAuditCommand } from './commands/audit.command.js';
import { addCalibrateCommand } from './commands/calibrate.command.js';
import { addDoctorCommand } from './commands/doctor.command.js';
import { addGenerationsCommand } from './commands/generations.command.js';
import { addImportCommand } from './commands/import.command.js';
import { addIngestCommand } from './commands/ingest.command.js';
import { addKeysCommand } from './commands/keys.command.js';
import { addMcpCommand } from './commands/mcp.command.js';
import { addEraseCommand } from './commands/erase.command.js';
import { addTenantsCommand } from './commands/tenants.command.js';
import { addExpandCommand, addReadCommand } from './commands/passage.commands.js';
import { addContextCommand, addSearchCommand } from './commands/search.commands.js';
import { addSyncCommand } from './commands/sync.command.js';
import { addVerifyCommand } from './commands/verify.command.js';
import { EXIT } from './exit-codes.js';
import { readFileError } from './read-file-error.js';

/** Where a command writes: results to `out`, progress and complaints to `error`. */
export interface CliStreams {
  in: NodeJS.ReadableStream;
  out: NodeJS.WritableStream & { isTTY?: boolean };
  error: NodeJS.WritableStream & { isTTY?: boolean };
}

export interface CliContext {
  environment: Environment;
  streams: CliStreams;
  setExitCode: (code: number) => void;
}

/** Adds one command to the program. */
type AddCommand = (program: Command, context: CliContext) => void;

/** In the order in which `candor --help` lists them. */
const COMMANDS: readonly AddCommand[] = [
  addKeysCommand,
  addIngestCommand,
  addImportCommand,
  addSyncCommand,
  addAskCommand,
  addContextCommand,
  addSearchCommand,
  addReadCommand,
  addExpandCommand,
  addAuditCommand,
  addVerifyCommand,
  addTenantsCommand,
  addEraseCommand,
  addGenerationsCommand,
  addCalibrateCommand,
  addMcpCommand,
  addDoctorCommand,
];

/** The program with its commands; an action of a command throws what `runCli` reports. */
export function createProgram(context: CliContext): Command {
  const { streams } = context;
  const program = new Command('candor')
    .description('Command line of Candor, the context gateway.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.out.write(text),
      writeErr: (text) => streams.error.write(text),
    })
    .showHelpAfterError('(candor <command> --help shows examples)');
  for (const add of COMMANDS) add(program, context);
  return program;
}

/** Runs one command line; its exit code. */
export async function runCli(args: readonly string[], environment: Environment, streams: CliStreams): Promise<number> {
  let exitCode: number = EXIT.done;
  const setExitCode = (code: number): void => void (exitCode = code);
  try {
    await createProgram({ environment, streams, setExitCode }).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.refused;
    const error = thrown instanceof CandorError ? toAppError(thrown) : (readFileError(thrown) ?? thrown);
    if (!(error instanceof AppError)) throw error;
    complain(error, args.includes('--json'), streams);
    return error.code === 'REQUEST.CANCELLED' ? EXIT.interrupted : EXIT.refused;
  }
}

function complain(error: AppError, asJson: boolean, streams: CliStreams): void {
  if (!asJson) return void streams.error.write(`${error.message}\n`);
  const { code: type, message, details } = error;
  streams.error.write(`${JSON.stringify({ error: { type, message, details } })}\n`);
}
