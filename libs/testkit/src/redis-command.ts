import { connect } from 'node:net';
import { once } from 'node:events';

/** Runs one command in the database of the URL, e.g. `FLUSHDB`; the raw first line of the reply. */
export async function runRedisCommand(url: string, command: string): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || '6379') });
  socket.setEncoding('utf8');
  await once(socket, 'connect');
  try {
    await exchange(socket, `SELECT ${pathname.slice(1) || '0'}`);
    return await exchange(socket, command);
  } finally {
    socket.destroy();
  }
}

async function exchange(socket: ReturnType<typeof connect>, line: string): Promise<string> {
  socket.write(`${line}\r\n`);
  const [reply] = (await once(socket, 'data')) as [string];
  const first = reply.split('\r\n')[0] ?? '';
  if (first.startsWith('-')) throw new Error(`Redis refused ${line}: ${first}`);
  return first;
}
