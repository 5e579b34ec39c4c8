import { createServer } from 'node:net';

/** Below the range from which systems give ports to whoever asks for any: what was free once stays so until it is used. */
const FIRST = 20_000;
const COUNT = 10_000;
/** Of this process: what was promised to one caller stays free until it uses it, and must not be promised to another. */
const reserved = new Set<number>();

/** A port of 127.0.0.1 that may be used minutes later, and again after its server was killed. */
export async function reservePort(): Promise<number> {
  while (reserved.size < COUNT) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (reserved.has(port)) continue;
    // Before it is tried: others ask at the same time.
    reserved.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error('there is no port left to reserve');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
