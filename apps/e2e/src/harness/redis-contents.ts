import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

type Command = readonly string[];

/** How a whole value is read, by what `TYPE` says. */
const READERS: Record<string, (key: string) => Command> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Every key of the URL's database with its whole value, as they come over the line. */
export async function readRedisText(url: string): Promise<Map<string, string>> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || '6379') });
  socket.setEncoding('utf8');
  await once(socket, 'connect');
  try {
    await send(socket, ['SELECT', pathname.slice(1) || '0']);
    const keys = stringsIn(await send(socket, ['KEYS', '*']));
    const texts = new Map<string, string>();
    for (const key of keys) {
      const type = /^\+(\w+)/.exec(await send(socket, ['TYPE', key]))?.[1] ?? '';
      // Gone since the list was made.
      if (type === 'none') continue;
      const reader = READERS[type];
      if (!reader) throw new Error(`${key} has the type ${type}, which nothing here reads`);
      texts.set(key, await send(socket, reader(key)));
    }
    return texts;
  } finally {
    socket.destroy();
  }
}

/** The reply as it is, whatever its shape: another reply behind it tells where it ends. */
async function send(socket: Socket, command: Command): Promise<string> {
  const mark = randomUUID();
  const end = `$${mark.length}\r\n${mark}\r\n`;
  let heard = '';
  const ended = new Promise<void>((resolve, reject) => {
    socket.removeAllListeners('data').removeAllListeners('error');
    socket.on('data', (text: string) => {
      heard += text;
      if (heard.endsWith(end)) resolve();
    });
    socket.once('error', reject);
  });
  socket.write(encode(command) + encode(['ECHO', mark]));
  await ended;
  const reply = heard.slice(0, -end.length);
  if (reply.startsWith('-')) throw new Error(`Redis refused ${command[0]}: ${reply}`);
  return reply;
}

function encode(command: Command): string {
  return `*${command.length}\r\n${command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** Of a flat array without line breaks in its strings. */
function stringsIn(reply: string): string[] {
  return reply.split('\r\n').filter((line, place) => place > 0 && line !== '' && !/^\$\d+$/.test(line));
}
