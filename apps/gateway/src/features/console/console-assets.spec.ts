import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConsoleAssets } from './console-assets.js';

describe('readConsoleAssets', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'candor-console-'));
    mkdirSync(join(folder, 'assets'));
    for (const [name, text] of Object.entries({
      'index.html': '<p>page</p>',
      'favicon.svg': '<svg/>',
      'assets/main-abc.js': 'run()',
      'assets/main-abc.js.gz': 'small',
      'notes.txt': 'not for the web',
    }))
      writeFileSync(join(folder, name), text);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has the page, and files of the types that it knows, with what is compressed beside them', () => {
    const { page, files } = readConsoleAssets(folder);
    expect(page).toBe('<p>page</p>');
    expect([...files.keys()].sort()).toEqual(['assets/main-abc.js', 'favicon.svg']);
    expect(files.get('assets/main-abc.js')).toEqual({
      type: 'text/javascript; charset=utf-8',
      body: Buffer.from('run()'),
      gzip: Buffer.from('small'),
      isImmutable: true,
    });
    expect(files.get('favicon.svg')).toMatchObject({ gzip: undefined, isImmutable: false });
  });

  it('has nothing where nothing was built', () => {
    expect(readConsoleAssets(join(folder, 'absent'))).toEqual({ page: undefined, files: new Map() });
  });
});
