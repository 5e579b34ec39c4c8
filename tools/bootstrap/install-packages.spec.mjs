import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPackages } from './install-packages.mjs';

/** npm as far as it matters here: it leaves the packages for development out where production is said and nothing against it. */
const NPM = `#!/bin/sh
echo "$@" >> "$NPM_CALLS"
mkdir -p node_modules/.bin
echo '{"packages":{"node_modules/one":{"version":"1.0.0"}}}' > node_modules/.package-lock.json
case "$NODE_ENV $*" in
  *--include=dev*|" "*)
    echo '{"packages":{"node_modules/one":{"version":"1.0.0"},"node_modules/typescript":{"version":"6.0.0"}}}' > node_modules/.package-lock.json
    touch node_modules/.bin/tsc node_modules/.bin/vite ;;
esac
`;
const LOCK = {
  packages: {
    '': {},
    'node_modules/one': { version: '1.0.0' },
    'node_modules/typescript': { version: '6.0.0', dev: true },
    'node_modules/elsewhere': { version: '1.0.0', optional: true },
  },
};

const { PATH, NODE_ENV } = process.env;
let root;

const calls = () =>
  existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n').length : 0;
const install = (needsTools = true) => installPackages(root, () => undefined, { needsTools });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'candor-install-'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/npm'), NPM);
  chmodSync(join(root, 'bin/npm'), 0o755);
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK));
  Object.assign(process.env, {
    PATH: `${join(root, 'bin')}${delimiter}${PATH}`,
    NODE_ENV: 'production',
    NPM_CALLS: join(root, 'calls'),
  });
});
afterEach(() => {
  Object.assign(process.env, { PATH, NODE_ENV });
  delete process.env.NPM_CALLS;
  rmSync(root, { recursive: true });
});

describe('installPackages', () => {
  it('installs what the build needs, also with NODE_ENV=production, and once', async () => {
    expect(await install()).toBe(true);
    expect(existsSync(join(root, 'node_modules/.bin/tsc'))).toBe(true);
    expect(await install()).toBe(false);
    expect(calls()).toBe(1);
  });

  it('installs again when a build is due and its tools were taken away, and leaves them away when none is', async () => {
    await install();
    rmSync(join(root, 'node_modules/.bin'), { recursive: true });
    expect(await install(false)).toBe(false);
    expect(await install()).toBe(true);
    expect(calls()).toBe(2);
  });

  it('takes what somebody installed by hand', async () => {
    mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
    for (const tool of ['tsc', 'vite']) writeFileSync(join(root, 'node_modules/.bin', tool), '');
    const { 'node_modules/elsewhere': _, ...installed } = LOCK.packages;
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
    expect(await install()).toBe(false);
    expect(calls()).toBe(0);
  });

  it('refuses to go on, and to believe it the next time, when the tools are still missing', async () => {
    writeFileSync(join(root, 'bin/npm'), NPM.replace('*--include=dev*|', ''));
    await expect(install()).rejects.toThrow(/tsc.*missing/);
    await expect(install()).rejects.toThrow(/tsc.*missing/);
    expect(calls()).toBe(2);
  });
});
