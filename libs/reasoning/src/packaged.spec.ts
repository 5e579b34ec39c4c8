import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const TYPESCRIPT = join(root, 'node_modules/typescript/bin/tsc');

/** Packed together: the first one depends on the others. */
const LIBRARIES = ['reasoning', 'contracts'];

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
}

describe('the packed library', () => {
  let project: string;

  beforeAll(async () => {
    project = await realpath(await mkdtemp(join(tmpdir(), 'candor-packed-')));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    for (const library of LIBRARIES) await install(library);
  }, 300_000);
  afterAll(() => rm(project, { recursive: true, force: true }));

  /** As npm would: the packed files, and of the rest only what the package says that it depends on. */
  async function install(library: string): Promise<void> {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project, '-w', `libs/${library}`], {
      cwd: root,
    });
    const [packed] = JSON.parse(stdout) as { filename: string }[];
    const folder = join(project, 'node_modules/@candor', library);
    await mkdir(folder, { recursive: true });
    await run('tar', ['-xzf', join(project, packed?.filename ?? ''), '-C', folder, '--strip-components', '1']);
    const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
    for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@candor/'))) {
      const link = join(project, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      if (!existsSync(link)) await symlink(join(root, 'node_modules', name), link);
    }
  }

  it('is all that the README’s example needs, with strict types and at run time', async () => {
    const readme = await readFile(join(project, 'node_modules/@candor/reasoning/README.md'), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]+?)```/.exec(readme) ?? [];
    // Fails where the types don't arrive and everything is `any`.
    const typed = `\n// @ts-expect-error not a number\nexport const wrong: number = response.outcome;\n`;
    await writeFile(join(project, 'example.ts'), `${example}${typed}`);
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: [], skipLibCheck: true };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
    const compiled = await run(process.execPath, [TYPESCRIPT, '-p', project]).catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: '' });
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: project });
    expect(stdout).toContain('answered Database backups are kept for 35 days.');
    expect(stdout).toContain("failureCode: 'CALIBRATION_MISSING'");
  }, 300_000);

  it.each(LIBRARIES)('says what %s depends on, no package more or less', async (library) => {
    const folder = join(project, 'node_modules/@candor', library);
    const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
    const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(?:js|d\.ts)$/.test(file));
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    const imported = texts.flatMap((text) =>
      [...text.matchAll(/(?:\bfrom |\bimport ?\(?)["']([^."'][^"']*)["']/g)].map(([, name = '']) => name),
    );
    const packages = imported
      .filter((name) => !name.startsWith('node:'))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(packages)].sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('holds no source and no spec', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--dry-run', '-w', 'libs/reasoning'], { cwd: root });
    const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    expect(paths).toContain('dist/index.js');
    expect(paths.filter((path) => !/^(?:package\.json|README\.md|dist\/.+(?:\.js|\.d\.ts))$/.test(path))).toEqual([]);
    expect(paths.filter((path) => path.includes('.spec.'))).toEqual([]);
  }, 300_000);
});
