import { createServer } from 'node:net';

/** A TCP port that is free now, on 127.0.0.1 unless another address is named; another process may still take it before it is used. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
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
