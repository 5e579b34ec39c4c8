import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ApiClient } from '@candor/testkit';

/** The command line, as npm links it. */
export const CANDOR_PROGRAM = fileURLToPath(new URL('../../../../apps/cli/bin/candor.mjs', import.meta.url));

export interface CandorRun {
  exitCode: number | null;
  out: string;
  error: string;
}

/** Runs the command line against an installation, as a person would. */
export function runCandor(client: ApiClient, args: readonly string[], cwd: string): Promise<CandorRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CANDOR_PROGRAM, ...args], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', CANDOR_URL: client.url, CANDOR_API_KEY: client.key ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const run: CandorRun = { exitCode: null, out: '', error: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (run.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (run.error += text));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ ...run, exitCode }));
  });
}
