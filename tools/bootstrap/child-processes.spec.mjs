import { killChildren, runCommand } from './child-processes.mjs';

describe('runCommand', () => {
  it('gives the exit code and both streams', async () => {
    const script = 'console.log("out"); console.error("err"); process.exitCode = 3';
    const { code, output } = await runCommand(process.execPath, ['-e', script], { capture: true });
    expect(code).toBe(3);
    expect(output).toMatch(/out/);
    expect(output).toMatch(/err/);
  });

  it('rejects when there is no such program', async () => {
    await expect(runCommand('candor-no-such-program', [])).rejects.toThrow('ENOENT');
  });

  it('ends a command and what it started when asked to', async () => {
    // The child waits for its own child, which would outlive a signal to the child alone and hold the pipe open.
    const inner = 'setInterval(() => {}, 1000)';
    const outer = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' }); setInterval(() => {}, 1000)`;
    const running = runCommand(process.execPath, ['-e', outer], { capture: true });
    await new Promise((spawned) => setTimeout(spawned, 500));
    killChildren('SIGTERM');
    expect((await running).signal).toBe('SIGTERM');
  });
});
