import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { TcpProxy } from './tcp-proxy.js';

let echo: Server;
let proxy: TcpProxy;
const open: Socket[] = [];

async function dial(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [reply] = (await once(socket, 'data')) as [string];
  return reply;
}

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await TcpProxy.start({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await proxy.stop();
  await new Promise((resolve) => echo.close(resolve));
});

describe('TcpProxy', () => {
  it('passes everything on, both ways', async () => {
    expect(await ask(await dial(), 'hello')).toBe('hello');
    expect(proxy.connections).toBe(1);
  });

  it('cuts: resets what is open, refuses what is new, and comes back on the same port', async () => {
    const socket = await dial();
    await ask(socket, 'before');
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await proxy.cut();
    await ended;
    await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.restore();
    expect(await ask(await dial(), 'after')).toBe('after');
  });

  it('freezes: connections stay open and silent, and go on where they were', async () => {
    const socket = await dial();
    await ask(socket, 'before');
    proxy.freeze();
    let heard = '';
    socket.on('data', (text: string) => (heard += text));
    socket.write('meanwhile');
    const late = await dial();
    late.write('late');
    await delay(100);
    expect(heard).toBe('');
    const both = Promise.all([once(socket, 'data'), once(late, 'data')]);
    await proxy.restore();
    await both;
    expect(heard).toBe('meanwhile');
  });

  it('puts itself into a URL and leaves the rest of it alone', () => {
    expect(proxy.rewrite('postgres://user:secret@db.example:5432/candor?ssl=false')).toBe(
      `postgres://user:secret@127.0.0.1:${proxy.port}/candor?ssl=false`,
    );
    expect(proxy.rewrite('http://127.0.0.1:9200')).toBe(`http://127.0.0.1:${proxy.port}`);
  });
});
