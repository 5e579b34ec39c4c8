import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createProgram } from '../run-cli.js';
import { RecordingGateway } from '../testing/recording-gateway.js';
import { runLine, type LineResult } from '../testing/run-line.js';

const ID = '354913f5-0631-49e7-8420-a577a1819e13';
const FILE = '<file>';

/** Arguments with which each command asks the gateway. */
const ARGUMENTS: Record<string, readonly string[]> = {
  'keys list': [],
  'keys create': ['Agent'],
  'keys rotate': [ID],
  'keys revoke': [ID],
  ingest: ['We keep lime-green.', '--title', 'Brand'],
  import: [FILE],
  sync: [ID],
  ask: ['Which color?'],
  context: ['Which color?'],
  search: ['Which color?'],
  read: [ID],
  expand: [ID],
  audit: [],
  'audit chain': [],
  'audit export': [],
  'audit verify': [],
  verify: [ID, 'We keep lime-green.'],
  'tenants list': [],
  'tenants create': ['Acme'],
  'tenants show': [],
  'tenants set': ['--name', 'Acme'],
  'erase tenant': ['--confirm', 'Acme'],
  'erase person': ['--name', 'Ada'],
  'erase status': [ID],
  'generations list': [],
  'generations create': [],
  'generations promote': [ID],
  'generations retire': [ID],
  'generations reconcile': [ID],
  calibrate: [],
};
/** Their failures are findings and messages of the protocol; they have specs of their own. */
const APART = ['doctor', 'mcp'];

describe('every command', () => {
  let folder: string;
  let nobody: string;
  let refusing: RecordingGateway;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-cli-'));
    await writeFile(join(folder, 'note.md'), 'We keep lime-green.');
    nobody = await closedAddress();
    refusing = await RecordingGateway.start(() => ({
      status: 403,
      body: {
        error: { code: 403, type: 'AUTH.ACTION_NOT_ALLOWED', message: 'Not allowed.', details: null, requestId: ID },
      },
    }));
  });
  afterAll(async () => {
    await refusing.stop();
    await rm(folder, { recursive: true });
  });

  function run(url: string, command: string, ...more: string[]): Promise<LineResult> {
    const args = (ARGUMENTS[command] ?? []).map((each) => (each === FILE ? join(folder, 'note.md') : each));
    return runOn(url, [...command.split(' '), ...args, ...more]);
  }

  const runOn = (url: string, line: string[]): Promise<LineResult> =>
    runLine(line, { CANDOR_URL: url, CANDOR_API_KEY: 'gm_abcdefgh_abcdefghijklmnop' });

  it('is listed here', () => {
    const streams = { in: new PassThrough(), out: new PassThrough(), error: new PassThrough() };
    const program = createProgram({ environment: {}, streams, setExitCode: () => undefined });
    expect(program.commands.flatMap(namesOf).sort()).toEqual([...Object.keys(ARGUMENTS), ...APART].sort());
  });

  // Ten together: what may be repeated is tried again for some seconds. An import is worth a longer wait.
  const commands = Object.keys(ARGUMENTS).filter((name) => name !== 'import');
  it.each([commands.slice(0, 10), commands.slice(10, 20), commands.slice(20)])(
    'ends with 2 and one sentence when nobody is there: %s, %s and others',
    async (...some) => {
      const runs = await Promise.all(some.map(async (command) => ({ command, ...(await run(nobody, command)) })));
      expect(runs).toEqual(
        some.map((command) => ({ command, exitCode: 2, out: '', error: `${nobody} cannot be reached.\n` })),
      );
    },
    30_000,
  );

  it.each<[string, string[]]>([
    ['ingest', ['/nowhere.ndjson']],
    ['verify', ['--file', '/nowhere.json']],
    ['calibrate', ['/nowhere.json']],
    ['audit', ['verify', '--file', '/nowhere.ndjson']],
    ['audit', ['export', '--out', '/nowhere/audit.ndjson']],
  ])('%s of a file that is not there ends with 2 and names it', async (command, args) => {
    const exporting = await RecordingGateway.start(() => ({ status: 200, body: {} }));
    const { exitCode, out, error } = await runOn(exporting.url, [command, ...args]);
    await exporting.stop();
    expect(error).toMatch(/^\/nowhere[^\n]+\.\n$/);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  });

  it('takes no folder for a file', async () => {
    const { exitCode, error } = await runOn(nobody, ['ingest', folder]);
    expect([exitCode, error]).toEqual([2, `${folder} is a folder.\n`]);
  });

  // An import has one of its own, of ten minutes.
  it.each(commands)('%s has a deadline, and says how long it may be', async (command) => {
    expect((await run(nobody, command, '--help')).out).toMatch(/--deadline <seconds>[^]*\(default: 120\)/);
    for (const wrong of ['0', '301', '1.5', 'soon']) {
      const { exitCode, error } = await run(nobody, command, '--deadline', wrong);
      expect([exitCode, error]).toEqual([2, expect.stringContaining('A number from 1 to 300.')]);
    }
  });

  it.each([['keys'], ['generations'], []])('says in JSON that a command is missing: candor %s', async (...line) => {
    const { exitCode, out, error } = await runOn(nobody, [...line, '--json']);
    expect(error.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(error)).toMatchObject({ error: { type: 'REQUEST.INVALID' } });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  });

  describe.each(Object.keys(ARGUMENTS))('%s', (command) => {
    it('says with --json as one line of JSON on standard error what the gateway refuses, and ends with 2', async () => {
      const { exitCode, out, error } = await run(refusing.url, command, '--json');
      expect(error.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.parse(error)).toEqual({
        error: { type: 'AUTH.ACTION_NOT_ALLOWED', message: 'Not allowed.', details: null },
      });
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    });

    it('names an option that it doesn’t know, and ends with 2', async () => {
      const { exitCode, error } = await run(nobody, command, '--nonsense');
      expect(error).toContain("unknown option '--nonsense'");
      expect(exitCode).toBe(2);
    });

    it('says in JSON with --json what is wrong with the command line, and ends with 2', async () => {
      const { exitCode, out, error } = await run(nobody, command, '--json', '--nonsense');
      expect(error.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.parse(error)).toMatchObject({
        error: { type: 'REQUEST.INVALID', message: expect.stringMatching(/^unknown option '--nonsense'/) },
      });
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    });

    it('has --json in its help, with examples', async () => {
      const { exitCode, out } = await run(nobody, command, '--help');
      expect(out).toMatch(/--json[^]*Examples:\n {2}\$ .*candor/);
      expect(exitCode).toBe(0);
    });
  });
});

/** The command lines that do something: `keys` alone only shows its help. */
function namesOf(command: Command): string[] {
  const nested = command.commands.flatMap(namesOf).map((name) => `${command.name()} ${name}`);
  const doesSomething = command.options.some(({ long }) => long === '--json') || nested.length === 0;
  return [...(doesSomething ? [command.name()] : []), ...nested];
}

async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
