import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WorkspaceMessage {
  ts: string;
  user: string;
  text: string;
  edited?: { user: string; ts: string };
}
export interface WorkspaceChannel {
  id: string;
  name: string;
  isPrivate: boolean;
  members: string[];
  messages: WorkspaceMessage[];
}

export const WORKSPACE_TOKEN = 'xoxb-planted-workspace-token';

/** The few methods of Slack's Web API that a sync calls, on loopback; a test changes the workspace as people would. */
export class SlackWorkspace {
  readonly channels: WorkspaceChannel[] = [];
  readonly users = [
    {
      id: 'U1',
      name: 'ada',
      real_name: 'Ada Lind',
      profile: { display_name: 'Ada Lind', email: 'ada@skogby.example' },
    },
    { id: 'U2', name: 'bo', real_name: 'Bo Ek', profile: { display_name: 'Bo Ek', email: 'bo@skogby.example' } },
  ];
  /** Calls that were answered, by method. */
  readonly calls: string[] = [];
  private release: () => void = () => undefined;
  private held: Promise<void> = Promise.resolve();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SlackWorkspace> {
    const server = createServer();
    const workspace = new SlackWorkspace(server);
    server.on('request', (request, response) => void workspace.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return workspace;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/api/`;
  }

  channel(id: string): WorkspaceChannel {
    const channel = this.channels.find((candidate) => candidate.id === id);
    if (!channel) throw new Error(`no channel ${id}`);
    return channel;
  }

  /** As its author would, now. */
  edit(channelId: string, ts: string, text: string): void {
    const message = this.channel(channelId).messages.find((candidate) => candidate.ts === ts);
    if (!message) throw new Error(`no message ${ts}`);
    Object.assign(message, { text, edited: { user: message.user, ts: (Date.now() / 1_000).toFixed(6) } });
  }

  /** Histories are answered when `resume` says so. */
  hold(): void {
    this.held = new Promise((resolve) => (this.release = resolve));
  }

  resume(): void {
    this.release();
    this.held = Promise.resolve();
  }

  async stop(): Promise<void> {
    this.resume();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const method = (request.url ?? '').replace(/^\/api\//, '').replace(/\?.*$/, '');
    if (method === 'conversations.history') await this.held;
    const isKnown = request.headers.authorization === `Bearer ${WORKSPACE_TOKEN}`;
    const form = new URLSearchParams(Buffer.concat(parts).toString('utf8'));
    const body = isKnown ? this.answer(method, form) : { ok: false, error: 'invalid_auth' };
    this.calls.push(method);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private answer(method: string, form: URLSearchParams): Record<string, unknown> {
    const channel = this.channels.find(({ id }) => id === form.get('channel'));
    switch (method) {
      case 'auth.test':
        return { ok: true, url: 'https://skogby.slack.com/', team: 'Skogby', team_id: 'T1', user: 'candor' };
      case 'users.list':
        return { ok: true, members: this.users };
      case 'conversations.list':
        return { ok: true, channels: this.channels.map(({ id, name, isPrivate }) => describe(id, name, isPrivate)) };
      case 'conversations.members':
        return { ok: true, members: channel?.members ?? [] };
      case 'conversations.history':
        return channel ? readHistory(channel, form) : { ok: false, error: 'channel_not_found' };
      case 'conversations.replies':
        return readThread(channel?.messages ?? [], form.get('ts'));
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }
}

function describe(id: string, name: string, isPrivate: boolean): Record<string, unknown> {
  return { id, name, is_private: isPrivate, is_member: true, is_archived: false };
}

function readHistory({ messages }: WorkspaceChannel, form: URLSearchParams): Record<string, unknown> {
  const oldest = Number(form.get('oldest') ?? 0);
  const latest = Number(form.get('latest') ?? Number.MAX_SAFE_INTEGER);
  const limit = Number(form.get('limit') ?? 100);
  const inRange = messages
    .filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest)
    .sort((left, right) => Number(right.ts) - Number(left.ts))
    .map((message) => ({ type: 'message', ...message }));
  return { ok: true, messages: inRange.slice(0, limit), has_more: inRange.length > limit };
}

/** Nobody replies here: a thread is its first message. */
function readThread(messages: readonly WorkspaceMessage[], ts: string | null): Record<string, unknown> {
  const found = messages.filter((message) => message.ts === ts).map((message) => ({ type: 'message', ...message }));
  return found.length === 0 ? { ok: false, error: 'thread_not_found' } : { ok: true, messages: found, has_more: false };
}
