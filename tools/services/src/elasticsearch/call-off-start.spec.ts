import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive, waitUntil } from '../inspect-process.js';
import { startServices } from '../start-services.js';
import { startElasticsearch } from './start-elasticsearch.js';

jest.setTimeout(120_000);

const WAIT_MS = 30_000;

/** Enough of Maven and of a JDK for the script: what takes long there hangs here. */
const PROGRAMS: Record<string, string> = {
  'bin/mvn': `
    echo $$ > "$STUBS/mvn.pid"
    [ -z "$HANG_MAVEN" ] || { sleep 600; exit 1; }
    for argument; do case $argument in -Des.home=*) home=\${argument#-Des.home=} ;; esac; done
    mkdir -p "$home/lib" "$home/modules/transport-netty4"
    touch "$home/lib/elasticsearch-core-9.0.0.jar"`,
  'jdk/bin/javac': '',
  'jdk/bin/jar': `
    [ "$1" = cf ] && touch "$2" || { mkdir -p META-INF/es-plugins/transport-netty4; touch META-INF/es-plugins/transport-netty4/x; }`,
  // Like a JVM, it takes a moment to end.
  'jdk/bin/java': `
    trap 'sleep 0.5; exit 143' TERM
    while :; do sleep 0.1; done`,
};

describe('a start of Elasticsearch that is called off', () => {
  let folder: string;
  let dataDir: string;
  const environment = { ...process.env };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-call-off-'));
    dataDir = join(folder, 'data');
    for (const [path, script] of Object.entries(PROGRAMS)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
    }
    await writeFile(join(folder, 'jdk/release'), 'JAVA_VERSION="21.0.1"\n');
    process.env['PATH'] = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
    process.env['ES_JAVA_HOME'] = join(folder, 'jdk');
    process.env['ES_CACHE'] = join(folder, 'cache');
    process.env['STUBS'] = folder;
  });

  afterEach(async () => {
    for (const name of ['PATH', 'ES_JAVA_HOME', 'ES_CACHE', 'STUBS', 'HANG_MAVEN']) {
      if (environment[name] === undefined) {
        Reflect.deleteProperty(process.env, name);
      } else {
        process.env[name] = environment[name];
      }
    }
    await rm(folder, { recursive: true, force: true });
  });

  /** Of Maven, or of the node. */
  async function readPid(file: string): Promise<number> {
    const path = join(folder, file);
    expect(await waitUntil(async () => /\d\n/.test(await readFile(path, 'utf8').catch(() => '')), WAIT_MS)).toBe(true);
    return Number(await readFile(path, 'utf8'));
  }

  const MOMENTS = [
    ['while Maven assembles it', 'mvn.pid', 'true'],
    ['while the node comes up', 'data/pid', ''],
  ] as const;

  it.each(MOMENTS)('leaves nothing running %s', async (_, pidFile, hangMaven) => {
    process.env['HANG_MAVEN'] = hangMaven;
    const asked = new AbortController();
    const start = expect(startElasticsearch({ dataDir, signal: asked.signal })).rejects.toThrow('called off');
    const pid = await readPid(pidFile);
    asked.abort();
    await start;
    expect(isAlive(pid)).toBe(false);
    await expect(access(join(dataDir, 'owner.json'))).rejects.toThrow('ENOENT');
  });

  it.each(MOMENTS)('leaves nothing running when its process is killed %s', async (_, pidFile, hangMaven) => {
    process.env['HANG_MAVEN'] = hangMaven;
    const source = new URL('./start-elasticsearch.ts', import.meta.url).href;
    const script = `const { startElasticsearch } = await import(process.argv[1]);
      await startElasticsearch({ dataDir: process.argv[2] });`;
    const child = spawn(
      process.execPath,
      ['--import', '@swc-node/register/esm-register', '--input-type=module', '--eval', script, source, dataDir],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), env: withoutNodeOptions(), stdio: 'ignore' },
    );
    const exit = once(child, 'exit');
    const pid = await readPid(pidFile);
    child.kill('SIGKILL');
    await exit;
    expect(await waitUntil(() => !isAlive(pid), WAIT_MS)).toBe(true);
  });

  it('leaves nothing running when another service fails, and tells that failure', async () => {
    process.env['HANG_MAVEN'] = 'true';
    const redis = `while [ ! -s ${folder}/mvn.pid ]; do sleep 0.1; done; echo 'no Redis today'; exit 1`;
    await writeFile(join(folder, 'bin/redis-server'), `#!/usr/bin/env bash\n${redis}\n`, { mode: 0o755 });
    const start = startServices({ only: ['redis', 'elasticsearch'], dataDir, env: {} });
    await expect(start).rejects.toThrow('no Redis today');
    expect(isAlive(await readPid('mvn.pid'))).toBe(false);
  });
});

function withoutNodeOptions(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...rest } = process.env;
  return rest;
}
