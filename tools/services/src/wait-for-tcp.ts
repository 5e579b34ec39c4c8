import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

export interface WaitForTcpOptions {
  readonly port: number;
  readonly host?: string;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

/** Resolves once something accepts connections there; rejects after the timeout with the last reason. */
export async function waitForTcp({ port, host = '127.0.0.1', timeoutMs = 30_000 }: WaitForTcpOptions): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await connectOnce(port, host, Math.max(1, deadline - Date.now()));
      return;
    } catch (error) {
      if (Date.now() >= deadline) {
        throw new Error(`nothing accepts connections on ${host}:${port} after ${timeoutMs} ms`, { cause: error });
      }
      await delay(POLL_MS);
    }
  }
}

function connectOnce(port: number, host: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, timeout: timeoutMs });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('timed out')));
    socket.once('error', reject);
  });
}
