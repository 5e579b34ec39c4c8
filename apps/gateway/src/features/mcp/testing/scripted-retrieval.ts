import { randomUUID } from 'node:crypto';
import type { RetrievalClient, RetrievalMethod, RetrievalReply, RetrievalRequest } from '@candor/contracts';

export type Script = (method: RetrievalMethod, request: unknown, signal: AbortSignal) => Promise<unknown>;

export const HIT = {
  sourceItemId: randomUUID(),
  title: 'Brand *decisions*',
  content: 'We keep lime-green.\n# Not a heading of ours',
  url: 'https://notion.example/brand',
  provider: 'notion' as const,
  score: 0.8432,
  freshness: { syncedAt: '2026-05-30T20:00:00.000Z', ageHours: 0.2 },
  accessPolicy: { provider: 'notion' as const, mode: 'provider_scope' as const },
};

/** One hit, unless the call was cancelled. */
export const answerWithHit: Script = async (_method, request, signal) => {
  signal.throwIfAborted();
  return { query: (request as { query: string }).query, hits: [HIT] };
};

/** Retrieval as the test plays it; its requests are kept. */
export class ScriptedRetrieval implements RetrievalClient {
  readonly requests: unknown[] = [];
  script: Script = answerWithHit;

  async call<M extends RetrievalMethod>(
    method: M,
    _call: unknown,
    request: RetrievalRequest<M>,
    options: { signal?: AbortSignal },
  ): Promise<RetrievalReply<M>> {
    this.requests.push(request);
    const result = await this.script(method, request, options.signal ?? new AbortController().signal);
    return { result, facts: {} } as RetrievalReply<M>;
  }
}
