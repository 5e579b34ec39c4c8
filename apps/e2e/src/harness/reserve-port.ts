import { createServer } from 'node:net';

/** Below the range from which systems give ports to whoever asks for any: what was free once stays so until it is used. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port of 127.0.0.1 that may be used minutes later, and again after its server was killed. */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
