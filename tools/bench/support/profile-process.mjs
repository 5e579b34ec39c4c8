// Loaded with NODE_OPTIONS=--import: from SIGUSR2 on a processor profile of the main thread, written at its end (`--cpu-prof`
// is not allowed in NODE_OPTIONS, and would show the start-up too). Open it in a browser's developer tools.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.CANDOR_BENCH_PROFILE;
if (folder && isMainThread) {
  process.once('SIGUSR2', () => {
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: 500 });
    session.post('Profiler.start');
    process.on('exit', () => {
      // Answers before `post` returns.
      session.post('Profiler.stop', (error, result) => {
        if (error) throw error;
        const service = basename(dirname(dirname(process.argv[1] ?? 'x/x/x')));
        writeFileSync(join(folder, `${service}-${process.pid}.cpuprofile`), JSON.stringify(result.profile));
      });
    });
  });
}
