import type { ProviderAnswer, ProviderCall, ScriptedProviderServer } from '../../testing/scripted-provider.server.js';

export interface TestMessage extends Record<string, unknown> {
  ts: string;
  thread_ts?: string;
}
export interface TestChannel extends Record<string, unknown> {
  id: string;
  name: string;
  /** Roots and replies alike. */
  messages: TestMessage[];
  members?: string[];
}

/** A workspace whose content a test may change between two runs. */
export class SlackWorkspace {
  channels: TestChannel[] = [];
  users: Record<string, unknown>[] = [];
  /** Entries that `conversations.list` gives instead of a channel's own, by its id. */
  listed: Record<string, unknown> = {};
  /** Answers of methods that are not as documented. */
  answers: Record<string, Record<string, unknown>> = {};
  /** Methods that answer an error instead, of one channel or thread or of all: `{ 'conversations.history C1': 'not_in_channel' }`. */
  errors: Record<string, string> = {};
  /** Methods that ask once to be called a second later, named as in `errors`. */
  limited: string[] = [];

  hasPrivateScope = true;

  constructor(readonly server: ScriptedProviderServer) {
    server.on(/^\/api\//, (call) => this.answer(call));
  }

  get baseUrl(): string {
    return `${this.server.url}/api/`;
  }

  callsOf(method: string): ProviderCall[] {
    return this.server.callsOf(`/api/${method}`);
  }

  private answer(call: ProviderCall): ProviderAnswer {
    const method = call.path.slice('/api/'.length);
    const names = [method, `${method} ${call.form.get('channel') ?? ''}`, `${method} ${call.form.get('ts') ?? ''}`];
    const limited = names.find((name) => this.limited.includes(name));
    if (limited !== undefined) {
      this.limited = this.limited.filter((name) => name !== limited);
      return { status: 429, headers: { 'retry-after': '1' } };
    }
    const error = names.map((name) => this.errors[name]).find((found) => found !== undefined);
    if (error !== undefined) return { body: { ok: false, error } };
    if (call.headers.authorization !== 'Bearer xoxb-1') return { body: { ok: false, error: 'invalid_auth' } };
    // Without the scope for private channels a token is refused the whole list.
    if (method === 'conversations.list' && !this.hasPrivateScope && call.form.get('types')?.includes('private')) {
      return { body: { ok: false, error: 'missing_scope', needed: 'groups:read' } };
    }
    return { body: this.answers[method] ?? this.read(method, call.form) };
  }

  private listChannels(): unknown[] {
    return this.channels
      .filter(({ is_private }) => this.hasPrivateScope || is_private !== true)
      .map(({ messages, members, ...channel }) => (channel.id in this.listed ? this.listed[channel.id] : channel));
  }

  private read(method: string, form: URLSearchParams): Record<string, unknown> {
    const channel = this.channels.find(({ id }) => id === form.get('channel'));
    switch (method) {
      case 'auth.test':
        return { ok: true, url: 'https://shop.slack.com/', team: 'Shop', team_id: 'T1', user: 'candor' };
      case 'users.list':
        return { ok: true, members: this.users };
      case 'users.info':
        return { ok: false, error: 'user_not_found' };
      case 'conversations.list':
        return { ok: true, channels: this.listChannels() };
      case 'conversations.members':
        return { ok: true, members: channel?.members ?? [] };
      case 'conversations.history':
        return channel ? readHistory(channel, form) : { ok: false, error: 'channel_not_found' };
      case 'conversations.replies':
        return readReplies(channel, form);
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }
}

function readHistory(channel: TestChannel, form: URLSearchParams): Record<string, unknown> {
  const oldest = Number(form.get('oldest') ?? 0);
  const latest = Number(form.get('latest') ?? Number.MAX_SAFE_INTEGER);
  const limit = Number(form.get('limit') ?? 100);
  const inRange = channel.messages
    .filter(
      ({ ts, thread_ts, subtype }) => thread_ts === undefined || thread_ts === ts || subtype === 'thread_broadcast',
    )
    .filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest)
    .sort((left, right) => Number(right.ts) - Number(left.ts));
  return { ok: true, messages: inRange.slice(0, limit), has_more: inRange.length > limit };
}

function readReplies(channel: TestChannel | undefined, form: URLSearchParams): Record<string, unknown> {
  const ts = form.get('ts');
  const thread = channel?.messages.filter((message) => message.ts === ts || message.thread_ts === ts) ?? [];
  return thread.length === 0 ? { ok: false, error: 'thread_not_found' } : { ok: true, messages: thread };
}
