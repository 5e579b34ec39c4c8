import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface FoundProcess {
  pid: number;
  command: string;
}

/**
 * Living processes that belong to a folder: they name it in their command line or environment, or work in it.
 * Finds the orphans of a launcher, whatever it started and under whichever user.
 */
export async function findProcessesOf(folder: string): Promise<FoundProcess[]> {
  return process.platform === 'linux' ? findInProc(folder) : findWithPs(folder);
}

async function findInProc(folder: string): Promise<FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.filter((pid) => pid !== process.pid).map((pid) => inspect(pid, folder)));
  return found.filter((entry) => entry !== undefined);
}

async function inspect(pid: number, folder: string): Promise<FoundProcess | undefined> {
  const [status, command, environment, cwd] = await Promise.all([
    readText(`/proc/${pid}/stat`),
    readText(`/proc/${pid}/cmdline`),
    readText(`/proc/${pid}/environ`),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
  ]);
  // A zombie is gone; only its parent has not noticed yet.
  const isZombie = status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  if (status === '' || isZombie) return undefined;
  const isOurs = [command, environment].some((text) => text.includes(folder)) || cwd.startsWith(folder);
  return isOurs ? { pid, command: command.replaceAll('\0', ' ').trim() } : undefined;
}

/** Empty for a process that ended meanwhile or that we may not read. */
async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function findWithPs(folder: string): Promise<FoundProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || command?.includes(folder) !== true || Number(pid) === process.pid) return [];
    return [{ pid: Number(pid), command }];
  });
}
