import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy before a real server, to break its connections, refuse new ones, or let them hang. */
export class BreakableProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private isFrozen = false;

  constructor(private readonly target: URL) {}

  /** The target's URL by way of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  async up(): Promise<void> {
    this.isFrozen = false;
    const server = createServer((client) => this.forward(client));
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (typeof address === 'object' && address) this.port = address.port;
  }

  /** Connections break, new ones are refused. */
  async down(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Connections stay open and nothing goes through, until `down`. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  private forward(client: Socket): void {
    const upstream = connect(Number(this.target.port), this.target.hostname);
    this.join(client, upstream);
    this.join(upstream, client);
    if (this.isFrozen) client.pause();
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (data) => {
      if (!this.isFrozen) to.write(data);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
