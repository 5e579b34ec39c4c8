import { createServer } from 'node:net';

/** A TCP port that is free on 127.0.0.1 now; another process may still take it before it is used. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') {
          reject(new Error('the system gave no port'));
        } else {
          resolve(address.port);
        }
      });
    });
  });
}
