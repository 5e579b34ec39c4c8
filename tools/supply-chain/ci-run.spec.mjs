import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../../.ci/run', import.meta.url));

/** `.ci/run` with an npm of this script alone, which says what it was asked for. */
function runCi(script) {
  const folder = mkdtempSync(join(tmpdir(), 'candor-ci-'));
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "npm $*"\n${script}\n`, { mode: 0o755 });
  try {
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { stdout, status } = spawnSync(RUN, { encoding: 'utf8', env });
    return { lines: stdout.trim().split('\n'), status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tests = (count, status) => `[ "$1" = test ] && { echo '${count}'; exit ${status}; }`;

describe('what CI runs', () => {
  it('writes the bill of materials, then ends with the count of the tests', () => {
    const { lines, status } = runCi(tests('3 passed, 0 failed, 1 skipped', 0));
    const asked = lines.filter((line) => line.startsWith('npm '));
    expect(asked.map((line) => line.replace(' --silent', ''))).toEqual(['npm run sbom', 'npm test']);
    expect([lines.at(-1), status]).toEqual(['3 passed, 0 failed, 1 skipped', 0]);
  });

  it('goes on without a bill, and says so', () => {
    const { lines, status } = runCi(`${tests('3 passed, 0 failed, 0 skipped', 0)}\nexit 1`);
    expect(lines).toContain('SKIPPED the bill of materials was not written');
    expect([lines.at(-1), status]).toEqual(['3 passed, 0 failed, 0 skipped', 0]);
  });

  it('fails when a test does', () => {
    const { lines, status } = runCi(tests('2 passed, 1 failed, 0 skipped', 1));
    expect([lines.at(-1), status]).toEqual(['2 passed, 1 failed, 0 skipped', 1]);
  });
});
