import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../start.mjs', import.meta.url));
const start = (env, args = []) =>
  spawnSync(process.execPath, [script, ...args], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });

/** One line, without a stack, and nothing on standard output: nothing was begun. */
function expectRefusal({ status, stdout, stderr }, pattern) {
  expect(stderr).toMatch(pattern);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stdout).toBe('');
  expect(status).toBe(1);
}

describe('npm start refuses in one line', () => {
  it('an unknown profile', () => {
    expectRefusal(start({}, ['swarm']), /unknown profile "swarm"; use standalone or distributed/);
  });

  it('a data folder that is not writable', () => {
    expectRefusal(start({ CANDOR_DATA: '/proc/candor' }), /can't use \/proc\/candor as data folder .*set CANDOR_DATA/);
  });

  it('a port that is none', () => {
    expectRefusal(start({ PORT: 'http' }), /PORT must be a port number/);
  });

  it('a port that is taken, with the way out', async () => {
    const server = createServer();
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address();
    try {
      const outcome = await new Promise((ended) => {
        const child = spawn(process.execPath, [script], { env: { PATH: process.env.PATH, PORT: String(port) } });
        const output = { stdout: '', stderr: '' };
        for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (output[name] += text));
        child.once('close', (status) => ended({ ...output, status }));
      });
      expectRefusal(outcome, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use; set PORT`));
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });
});
