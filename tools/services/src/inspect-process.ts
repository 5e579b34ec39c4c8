import { execFile } from 'node:child_process';
import { readFile, readdir, readlink, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readErrorCode } from './read-error.js';

const run = promisify(execFile);
const POLL_MS = 50;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readErrorCode(error) !== 'ESRCH';
  }
}

/** When a process started, as an opaque string: with the id it names one process even after ids are reused. Empty if unknown. */
export async function readProcessStart(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the second field is the name in parentheses, which may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    // No such process, or a system without /proc: the caller falls back to the id alone.
    return '';
  }
}

/**
 * Ids of the processes that work in exactly this folder and whose name starts with one of `names`.
 * Database servers change into their data folder and so do their children: that finds the orphans of a killed run.
 */
export async function findProcessesIn(folder: string, names: readonly string[]): Promise<number[]> {
  let real: string;
  try {
    real = await realpath(folder);
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
  return process.platform === 'linux' ? findInProc(real, names) : findWithLsof(real, names);
}

async function findInProc(folder: string, names: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) {
      continue;
    }
    try {
      if ((await readlink(`/proc/${entry}/cwd`)) === folder) {
        const name = (await readFile(`/proc/${entry}/comm`, 'utf8')).trim();
        if (names.some((candidate) => name.startsWith(candidate))) {
          found.push(Number(entry));
        }
      }
    } catch {
      // It ended meanwhile, or belongs to another user and so is none of ours.
    }
  }
  return found;
}

async function findWithLsof(folder: string, names: readonly string[]): Promise<number[]> {
  let output: string;
  try {
    ({ stdout: output } = await run('lsof', [
      '-a',
      '-d',
      'cwd',
      '-F',
      'pcn',
      ...names.flatMap((name) => ['-c', name]),
    ]));
  } catch {
    // lsof exits with 1 when nothing matches.
    return [];
  }
  const found: number[] = [];
  let pid = 0;
  for (const line of output.split('\n')) {
    if (line.startsWith('p')) {
      pid = Number(line.slice(1));
    } else if (line === `n${folder}`) {
      found.push(pid);
    }
  }
  return found;
}

/** Polls until `isDone`; false when `timeoutMs` passed first. */
export async function waitUntil(isDone: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isDone())) {
    if (Date.now() >= deadline) {
      return false;
    }
    await delay(POLL_MS);
  }
  return true;
}

/** Signals a process, tolerating that it ended meanwhile. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (readErrorCode(error) !== 'ESRCH') {
      throw error;
    }
  }
}
