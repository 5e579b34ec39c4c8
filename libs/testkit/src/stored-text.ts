import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Database } from '@candor/persistence';

/** Every row of every table as text, by `schema.table`, the queue's own tables with them. */
export async function readStoredText(databaseUrl: string): Promise<Map<string, string>> {
  const database = new Database({
    url: databaseUrl,
    applicationName: 'candor-stored-text',
    poolSize: 1,
    unscoped: 'owner',
  });
  try {
    return await database.read(async (manager) => {
      const tables: { name: string }[] = await manager.query(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      const texts = new Map<string, string>();
      for (const { name } of tables) {
        const rows: { text: string }[] = await manager.query(`SELECT t::text AS text FROM ${name} t`);
        texts.set(name, rows.map(({ text }) => text).join('\n'));
      }
      return texts;
    });
  } finally {
    await database.close();
  }
}

/** Of the server that the standalone profile runs below its data folder. */
export async function findStandaloneDatabase(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'postgres');
  const password = (await readFile(join(folder, 'postgres-password'), 'utf8')).trim();
  // Its fourth line is the port.
  const [, , , port = ''] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  return `postgresql://candor:${password}@127.0.0.1:${port.trim()}/candor`;
}

/** Hears every command that any client sends to the server, with its arguments. */
export class RedisMonitor {
  private heard = '';

  private constructor(private readonly socket: Socket) {
    socket.on('data', (text: string) => (this.heard += text));
  }

  static async start(url: string): Promise<RedisMonitor> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port || '6379') });
    socket.setEncoding('latin1');
    await once(socket, 'connect');
    const monitor = new RedisMonitor(socket);
    socket.write('MONITOR\r\n');
    return monitor;
  }

  /** Bytes that aren't printable are escaped. */
  get text(): string {
    return this.heard;
  }

  stop(): void {
    this.socket.destroy();
  }
}
