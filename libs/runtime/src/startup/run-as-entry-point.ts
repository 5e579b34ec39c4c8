import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { AppError } from '@candor/contracts';

/** Runs a service's `main` when its module is the one Node was started with, and not when another imports it. */
export async function runAsEntryPoint(moduleUrl: string, main: () => Promise<void>): Promise<void> {
  const started = process.argv[1];
  if (started === undefined || realpathSync(started) !== fileURLToPath(moduleUrl)) return;
  stopWithParent();
  try {
    await main();
  } catch (error) {
    // One clear line for what the operator can mend; everything else with its stack.
    const text = error instanceof AppError ? `${error.code}: ${error.message}` : inspect(error);
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
}

/** A launcher that is killed must not leave its services behind: their channel to it closes, and they drain. */
function stopWithParent(): void {
  // Only a process that was started with a channel has the property. The launcher may end while the modules load.
  if ('connected' in process && !process.connected) process.exit(0);
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
