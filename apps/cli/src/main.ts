import { EXIT } from './exit-codes.js';
import { runCli } from './run-cli.js';

/** The program `candor`. */
export async function main(): Promise<void> {
  // `candor … | head` has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    throw error;
  });
  try {
    process.exitCode = await runCli(process.argv.slice(2), process.env, {
      in: process.stdin,
      out: process.stdout,
      error: process.stderr,
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = EXIT.unexpected;
  }
}
