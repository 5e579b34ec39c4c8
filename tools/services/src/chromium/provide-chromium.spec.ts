import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { provideChromium } from './provide-chromium.js';

const run = promisify(execFile);

describe('provideChromium', () => {
  it('takes the one that is named, unseen', async () => {
    expect(await provideChromium({ env: { CANDOR_CHROMIUM: '/opt/browser' } })).toBe('/opt/browser');
  });

  it('finds or installs one that runs', async () => {
    const path = await provideChromium({ env: {} });
    const { stdout } = await run(path, ['--version']);
    expect(stdout).toMatch(/Chrom/);
  }, 300_000);
});
