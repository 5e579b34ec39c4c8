import { spawn } from 'node:child_process';

const running = new Set();

/**
 * Runs a command to its end. It gets a process group of its own, so that a signal reaches whatever it started,
 * and exactly once: a terminal's Ctrl-C goes to our group only, and `killChildren` passes it on.
 *
 * @returns {Promise<{ code: number, output: string }>} `output` holds both streams when `capture` is set.
 */
export function runCommand(command, args, { cwd, env = process.env, capture = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'];
    const child = spawn(command, args, { cwd, env, stdio, detached: process.platform !== 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text) => (output += text));
    }
    running.add(child);
    child.once('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? 128, output, signal });
    });
  });
}

export function killChildren(signal = 'SIGTERM') {
  for (const child of running) {
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}
