import type { ProviderAnswer, ProviderCall, ScriptedProviderServer } from '../../testing/scripted-provider.server.js';

export interface TestMail {
  id: string;
  labelIds?: string[];
  internalDate: string;
  payload: Record<string, unknown>;
}

export const encode = (content: string | Buffer): string => Buffer.from(content).toString('base64url');

const refuse = (status: number, reason: string): ProviderAnswer => ({
  status,
  body: { error: { code: status, message: 'refused', errors: [{ reason, domain: 'global' }] } },
});

/** Without entries, Gmail leaves the list out. */
function page(name: string, all: readonly unknown[], query: URLSearchParams): ProviderAnswer {
  const from = Number(query.get('pageToken') ?? 0);
  const size = Number(query.get('maxResults'));
  const next = from + size < all.length ? { nextPageToken: String(from + size) } : {};
  return { body: { ...(all.length > 0 ? { [name]: all.slice(from, from + size) } : {}), ...next } };
}

/** A mailbox whose content a test may change between two runs. */
export class ScriptedGmail {
  threads = new Map<string, { historyId: string; messages: TestMail[] }>();
  /** By attachment id. */
  attachments: Record<string, string | Buffer> = {};
  /** Each with the history id at which it happened; null = the server has no history. */
  history: { at: number; record: Record<string, unknown> }[] | null = [];
  historyId = 100;
  /** Ids below are forgotten. */
  oldestHistoryId = 0;

  constructor(readonly server: ScriptedProviderServer) {
    server.on(/^\/gmail\/v1\/users\/me\//, (call) => this.answer(call));
  }

  note(record: Record<string, unknown>): void {
    this.historyId += 1;
    this.history?.push({ at: this.historyId, record });
  }

  private answer(call: ProviderCall): ProviderAnswer {
    if (call.headers.authorization !== 'Bearer at-1') return refuse(401, 'authError');
    const [kind, id, verb, attachmentId] = call.path.slice('/gmail/v1/users/me/'.length).split('/');
    if (kind === 'profile') return { body: { emailAddress: 'Ana@shop.example', historyId: String(this.historyId) } };
    if (kind === 'history') return this.answerHistory(call.query);
    if (verb === 'attachments') return this.giveAttachment(decodeURIComponent(attachmentId ?? ''));
    if (kind === 'threads' && id === undefined) return this.list(call.query);
    if (kind === 'messages' && id === undefined) return this.listMessages(call.query);
    const thread = this.threads.get(id ?? '');
    return thread ? { body: { id, ...thread } } : refuse(404, 'notFound');
  }

  private list(query: URLSearchParams): ProviderAnswer {
    const labels = query.getAll('labelIds');
    const all = [...this.threads]
      .filter(([, { messages }]) => messages.some(({ labelIds = [] }) => labels.every((id) => labelIds.includes(id))))
      .map(([id, { historyId }]) => ({ id, historyId }));
    return page('threads', all, query);
  }

  private listMessages(query: URLSearchParams): ProviderAnswer {
    const all = [...this.threads].flatMap(([threadId, { messages }]) =>
      messages
        .filter(({ labelIds }) => !labelIds?.some((label) => label === 'TRASH' || label === 'SPAM'))
        .map(({ id }) => ({ id, threadId })),
    );
    return page('messages', all, query);
  }

  private giveAttachment(id: string): ProviderAnswer {
    const content = this.attachments[id];
    return content === undefined ? refuse(404, 'notFound') : { body: { size: content.length, data: encode(content) } };
  }

  private answerHistory(query: URLSearchParams): ProviderAnswer {
    const start = Number(query.get('startHistoryId'));
    if (this.history === null || start < this.oldestHistoryId) return refuse(404, 'notFound');
    const all = this.history.filter(({ at }) => at > start).map(({ record }) => record);
    const from = Number(query.get('pageToken') ?? 0);
    const size = Number(query.get('maxResults'));
    const next = from + size < all.length ? { nextPageToken: String(from + size) } : {};
    return { body: { history: all.slice(from, from + size), historyId: String(this.historyId), ...next } };
  }
}
