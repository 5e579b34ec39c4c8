import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { strToU8, zipSync } from 'fflate';
import { textFile } from '../testing/fixtures.js';
import { FileReader, type FileReaderOptions } from './file-reader.js';

jest.setTimeout(120_000);

const SMALL = textFile('a.txt', 'A small file.');
/** Seconds of work for the reader of JSON. */
const BIG = textFile('a.json', `[${'{"a":{"b":[1,2,3]}},'.repeat(300_000)}1]`);

describe('FileReader', () => {
  let reader: FileReader | undefined;
  afterEach(() => reader?.close());
  const open = (options: FileReaderOptions): FileReader => (reader = new FileReader(options));

  it('kills what takes too long, and reads the next file', async () => {
    await expect(open({ timeoutMs: 300, processes: 1 }).read(BIG)).rejects.toMatchObject({ code: 'EXTRACT.TIMEOUT' });
    expect(await reader?.read(SMALL)).toMatchObject({ body: 'A small file.' });
  });

  it.each<[string, FileReaderOptions]>([
    ['heap', { heapMegabytes: 32 }],
    ['memory', { memoryMegabytes: 100 }],
  ])('ends a reader that exceeds its %s', async (_name, options) => {
    await expect(open({ ...options, processes: 1 }).read(BIG)).rejects.toMatchObject({ code: 'EXTRACT.TOO_LARGE' });
    await expect(reader?.read(SMALL)).resolves.toMatchObject({ body: 'A small file.' });
  });

  it('leaves the event loop free meanwhile', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    await open({})
      .read(BIG)
      .catch(() => undefined);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it('stops at once when the job is cancelled, in its turn or waiting', async () => {
    open({ processes: 1 });
    const running = new AbortController();
    const waiting = new AbortController();
    const first = reader?.read(BIG, running.signal);
    const second = reader?.read(BIG, waiting.signal);
    const third = reader?.read(SMALL);
    await sleep(50);
    waiting.abort(new Error('not wanted'));
    running.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(second).rejects.toThrow('not wanted');
    await expect(third).resolves.toMatchObject({ body: 'A small file.' });
  });

  it('loads a file when its turn has come, and sends it away when it does not come in time', async () => {
    open({ processes: 1, turnWaitMs: 200 });
    let loaded = 0;
    const load = async (): Promise<typeof SMALL> => {
      loaded += 1;
      return SMALL;
    };
    const running = new AbortController();
    const first = reader?.read(BIG, running.signal);
    const ended = expect(first).rejects.toThrow('enough');
    await expect(reader?.read(load)).rejects.toMatchObject({ code: 'DEPENDENCY.FILE_READERS_BUSY', retryable: true });
    expect(loaded).toBe(0);
    running.abort(new Error('enough'));
    await ended;
    expect(await reader?.read(load)).toMatchObject({ body: 'A small file.' });
    await expect(reader?.read(() => Promise.reject(new Error('not there')))).rejects.toThrow('not there');
    expect(await reader?.read(load)).toMatchObject({ body: 'A small file.' });
    expect(loaded).toBe(2);
  });

  it('replaces its processes now and then, and reads many files at once', async () => {
    const many = open({ processes: 2, filesPerProcess: 3 });
    const texts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => many.read(textFile('a.txt', `File ${index}`))),
    );
    expect(texts.map((text) => text.body)).toEqual(Array.from({ length: 20 }, (_, index) => `File ${index}`));
  });

  it('fails what is read while it closes', async () => {
    open({ processes: 1 });
    const running = reader?.read(BIG);
    const failed = expect(running).rejects.toMatchObject({ code: 'INTERNAL.UNEXPECTED' });
    await sleep(50);
    await reader?.close();
    await failed;
    await expect(reader?.read(SMALL)).rejects.toMatchObject({ code: 'INTERNAL.UNEXPECTED' });
  });

  it('closes in a program that has nothing else to do', async () => {
    const program = spawn(process.execPath, ['--input-type=module', '--eval', CLOSING_PROGRAM], {
      stdio: 'inherit',
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect(await once(program, 'exit')).toEqual([0, null]);
  });

  // Where /proc says who is whose child.
  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('ends with its parent, even while a parser keeps it busy', async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', BUSY_PARENT], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] ?? '' },
    });
    await once(parent.stdout, 'data');
    const children = await until(async () => {
      const found = await childrenOf(parent.pid ?? 0);
      return found.length > 0 ? found : null;
    });
    await until(async () => ((await processorTicks(children[0] ?? 0)) > PARSING_TICKS ? true : null));
    parent.kill('SIGKILL');
    // By itself it would notice when it is through with the file.
    const ended = until(async () => ((await Promise.all(children.map(isRunning))).includes(true) ? null : true));
    expect(await Promise.race([ended, sleep(5_000, false, { ref: false })])).toBe(true);
  });

  it.each<[string, ReturnType<typeof textFile>, string]>([
    ['one line of 100 MB', textFile('a.txt', Buffer.alloc(100_000_000, 'word ')), 'EXTRACT.TOO_LARGE'],
    ['JSON nested 100,000 deep', textFile('a.json', '['.repeat(100_000)), 'EXTRACT.UNREADABLE'],
    ['JSON nested 1,000 deep', textFile('a.json', `${'['.repeat(1_000)}1${']'.repeat(1_000)}`), 'EXTRACT.UNREADABLE'],
    [
      'XML nested 100,000 deep',
      textFile('a.xml', `<?xml version="1.0"?>${'<a>'.repeat(100_000)}`),
      'EXTRACT.UNREADABLE',
    ],
    ['RTF nested 100,000 deep', textFile('a.rtf', `{\\rtf1${'{'.repeat(100_000)}`), 'EXTRACT.UNREADABLE'],
    ['a table of 5 million cells', textFile('a.csv', 'a,b\n'.repeat(2_500_000)), 'EXTRACT.TOO_LARGE'],
    ['a Word file that unpacks to 100 MB', bomb('word/document.xml', 100_000_000), 'EXTRACT.TOO_LARGE'],
    ['a workbook that unpacks to 100 MB', bomb('xl/workbook.xml', 100_000_000), 'EXTRACT.TOO_LARGE'],
    ['a presentation of one endless slide', bomb('ppt/presentation.xml', 100_000_000), 'EXTRACT.TOO_LARGE'],
  ])('ends %s with an error of its own', async (_name, file, code) => {
    await expect(open({}).read(file)).rejects.toMatchObject({ code, retryable: false });
  });

  it('expands no entities of XML', async () => {
    const lol = Array.from({ length: 10 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
      '',
    );
    const file = textFile('a.xml', `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">${lol}]><a>text &l10;</a>`);
    expect((await open({}).read(file)).body).toBe('a: text &l10;');
  });
});

const CLOSING_PROGRAM = `
  import { FileReader } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  const reader = new FileReader();
  await reader.read({ name: 'a.txt', mediaType: '', bytes: Buffer.from('A small file.') });
  await reader.close();
`;

/** Reads for half a minute, with limits that don't end it before. */
const BUSY_PARENT = `
  import { FileReader } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  const bytes = Buffer.from('a,b\\n'.repeat(9_900_000));
  const reader = new FileReader({ timeoutMs: 600_000, heapMegabytes: 4_000, memoryMegabytes: 8_000 });
  reader.read({ name: 'a.csv', mediaType: '', bytes }).catch(() => undefined);
  console.log('reading');
`;

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return tasks.split(' ').filter(Boolean).map(Number);
}

/** More than it takes to start and to receive the file. */
const PARSING_TICKS = 300;

async function processorTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[11] ?? 0);
}

/** False for one that has ended, also while nobody has asked how. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X');
  return !/\) [ZX]/.test(stat);
}

async function until<Result>(look: () => Promise<Result | null>): Promise<Result> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await sleep(50);
  }
}

function bomb(part: string, size: number): ReturnType<typeof textFile> {
  const packed = zipSync({ '[Content_Types].xml': strToU8('<Types/>'), [part]: new Uint8Array(size).fill(0x20) });
  return textFile(part.startsWith('word') ? 'a.docx' : part.startsWith('xl') ? 'a.xlsx' : 'a.pptx', packed);
}
