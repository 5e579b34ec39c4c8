import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSources } from './build-sources.mjs';

let root;
const said = [];

function write(path, text) {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

const build = () => buildSources(root, ['apps/one/dist/main.js'], (line) => said.push(line));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'candor-build-'));
  const make =
    "require('fs').mkdirSync('apps/one/dist',{recursive:true});require('fs').writeFileSync('apps/one/dist/main.js','')";
  write('make.cjs', make);
  write('package.json', JSON.stringify({ scripts: { build: 'node make.cjs' } }));
  for (const path of ['package-lock.json', 'tsconfig.json', 'tsconfig.base.json']) write(path, '{}');
  for (const path of ['libs/a/a.ts', 'tools/services/a.ts', 'tools/models/a.ts', 'apps/one/src/main.ts'])
    write(path, '');
  mkdirSync(join(root, 'node_modules'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('buildSources', () => {
  it('builds once, and again when a source or the output changed', async () => {
    expect(await build()).toBe(true);
    expect(await build()).toBe(false);
    write('apps/one/src/main.ts', 'changed');
    expect(await build()).toBe(true);
    write('apps/one/src/added.ts', '');
    expect(await build()).toBe(true);
    rmSync(join(root, 'apps/one/dist'), { recursive: true });
    expect(await build()).toBe(true);
    expect(await build()).toBe(false);
  });

  it('says what the compiler said, and builds again the next time', async () => {
    write('make.cjs', "console.log('main.ts(1,1): error'); process.exit(2)");
    await expect(build()).rejects.toThrow(/build failed \(exit code 2\)\nmain.ts\(1,1\): error/);
    await expect(build()).rejects.toThrow(/build failed/);
  });

  it('refuses a build that made nothing', async () => {
    write('make.cjs', '');
    await expect(build()).rejects.toThrow('did not make apps/one/dist/main.js');
  });
});
