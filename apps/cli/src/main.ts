import { EXIT } from './exit-codes.js';
import { onBrokenPipe } from './on-broken-pipe.js';
import { runCli } from './run-cli.js';

/** The program `candor`. */
export async function main(): Promise<void> {
  // With the code that is known by then: `candor doctor | head` doesn't hide what is broken.
  onBrokenPipe(process.stdout, () => process.exit());
  try {
    const streams = { in: process.stdin, out: process.stdout, error: process.stderr };
    process.exitCode = await runCli(process.argv.slice(2), process.env, streams, (code) => (process.exitCode = code));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = EXIT.unexpected;
  }
}
