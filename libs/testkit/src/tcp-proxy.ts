import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A loopback proxy before a real server, so that an outage of the server can be played without touching it.
 * `cut` is a dead process (connections refused and reset), `freeze` a dead network (open, and silent).
 */
export class TcpProxy {
  private readonly pairs = new Set<{ client: Socket; server: Socket }>();
  private frozen = false;
  private listener: Server | null = null;

  private constructor(
    private readonly target: { host: string; port: number },
    readonly port: number,
  ) {}

  static async start(target: { host: string; port: number }): Promise<TcpProxy> {
    const first = createServer();
    const port = await listen(first, 0);
    await close(first);
    const proxy = new TcpProxy(target, port);
    await proxy.restore();
    return proxy;
  }

  /** In front of the server of this URL. */
  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port, protocol } = new URL(url);
    return TcpProxy.start({ host: hostname, port: Number(port || DEFAULT_PORTS[protocol]) });
  }

  /** The URL with this proxy as its host. */
  rewrite(url: string): string {
    const rewritten = new URL(url);
    rewritten.hostname = '127.0.0.1';
    rewritten.port = String(this.port);
    return rewritten.href.replace(/\/$/, url.endsWith('/') ? '/' : '');
  }

  get connections(): number {
    return this.pairs.size;
  }

  /** Resets every connection and refuses new ones. */
  async cut(): Promise<void> {
    const { listener } = this;
    this.listener = null;
    for (const { client, server } of this.pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
    this.pairs.clear();
    if (listener) await close(listener);
  }

  /** Connections stay open and nothing passes any more, in either direction; new ones are taken and stay silent. */
  freeze(): void {
    this.frozen = true;
    for (const { client, server } of this.pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Ends `cut` and `freeze`. */
  async restore(): Promise<void> {
    this.frozen = false;
    for (const { client, server } of this.pairs) {
      client.resume();
      server.resume();
    }
    if (this.listener) return;
    this.listener = createServer((client) => this.accept(client));
    await listen(this.listener, this.port);
  }

  async stop(): Promise<void> {
    await this.cut();
  }

  private accept(client: Socket): void {
    const server = connect(this.target);
    const pair = { client, server };
    this.pairs.add(pair);
    const drop = (): void => {
      this.pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', drop);
      socket.on('close', drop);
    }
    relay(client, server);
    relay(server, client);
    if (this.frozen) {
      client.pause();
      server.pause();
    }
  }
}

const DEFAULT_PORTS: Record<string, string> = {
  'postgres:': '5432',
  'postgresql:': '5432',
  'redis:': '6379',
  'http:': '9200',
};

function relay(from: Socket, to: Socket): void {
  from.on('data', (data) => {
    if (!to.destroyed) to.write(data);
  });
  from.on('end', () => to.end());
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
