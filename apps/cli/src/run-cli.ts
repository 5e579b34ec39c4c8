import { Command, CommanderError } from 'commander';
import { AppError } from '@candor/contracts';
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
import { complain, exitCodeOf, toRefusal } from './refusal.js';

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

/**
 * The program with its commands; an action of a command throws what `runCli` reports. With `isQuiet` it says nothing of a
 * wrong command line but what it throws.
 */
export function createProgram(context: CliContext, isQuiet = false): Command {
  const { streams } = context;
  const program = new Command('candor')
    .description('Command line of Candor, the context gateway.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.out.write(text),
      writeErr: (text) => isQuiet || streams.error.write(text),
    })
    .showHelpAfterError('(candor <command> --help shows examples)');
  for (const add of COMMANDS) add(program, context);
  return program;
}

/**
 * Runs one command line; its exit code. `onExitCode` hears of it as soon as a command knows, for what ends the program
 * before it is done.
 */
export async function runCli(
  args: readonly string[],
  environment: Environment,
  streams: CliStreams,
  onExitCode: (code: number) => void = () => undefined,
): Promise<number> {
  const asJson = args.includes('--json');
  let exitCode: number = EXIT.done;
  const setExitCode = (code: number): void => {
    exitCode = code;
    onExitCode(code);
  };
  try {
    await createProgram({ environment, streams, setExitCode }, asJson).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return EXIT.done;
      if (asJson) complain(toUsageError(thrown), asJson, streams);
      return EXIT.refused;
    }
    const error = toRefusal(thrown);
    complain(error, asJson, streams);
    return exitCodeOf(error);
  }
}

function toUsageError({ code, message }: CommanderError): AppError {
  // Thrown where a command is missing, after the help that stands in for a message.
  if (code === 'commander.help')
    return new AppError('REQUEST.INVALID', { message: 'A command is missing; --help lists them.' });
  return new AppError('REQUEST.INVALID', { message: message.replace(/^error: /, '') });
}
