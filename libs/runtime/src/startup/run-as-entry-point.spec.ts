import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SOURCE = new URL('./run-as-entry-point.ts', import.meta.url).href;

describe('runAsEntryPoint', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'candor-entry-')));
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** A service whose modules take until `loaded`; it says `serving` and then drains on SIGTERM. */
  async function launch(loaded: string): Promise<ChildProcess> {
    const entry = join(folder, 'main.mjs');
    const serve = `async () => {
      process.on('SIGTERM', () => process.exit(7));
      setInterval(() => {}, 1000);
      console.log('serving');
    }`;
    await writeFile(
      entry,
      `import { runAsEntryPoint } from ${JSON.stringify(SOURCE)};
       console.log('loading');
       ${loaded}
       await runAsEntryPoint(import.meta.url, ${serve});`,
    );
    return (child = spawn(process.execPath, ['--import', '@swc-node/register/esm-register', entry], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    }));
  }

  /** Its exit code, or what it did instead of ending. */
  async function outcome(service: ChildProcess): Promise<unknown> {
    let output = '';
    const serves = new Promise((resolve) =>
      service.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('serving')) resolve('serves');
      }),
    );
    return Promise.race([once(service, 'exit').then(([code]: unknown[]) => code), serves]);
  }

  it('does not begin when its launcher ended while the modules were loading', async () => {
    const service = await launch(`while (process.connected) await new Promise((resolve) => setTimeout(resolve, 20));`);
    service.disconnect();
    expect(await outcome(service)).toBe(0);
  }, 60_000);

  it('drains when its launcher ends later', async () => {
    const service = await launch('');
    expect(await outcome(service)).toBe('serves');
    service.disconnect();
    expect(await once(service, 'exit')).toEqual([7, null]);
  }, 60_000);
});
