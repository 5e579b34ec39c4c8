import { runCli } from './run-cli.js';

/** The program `candor`. */
export async function main(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), process.env, {
    in: process.stdin,
    out: process.stdout,
    error: process.stderr,
  });
}
