import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ingestionRoute, type RequestId } from '@candor/contracts';
import { ApiClient, buildDocument, waitFor } from '@candor/testkit';
import type { FleetMember } from './fleet.js';

export interface LoadResult {
  sent: number;
  /** What was not answered with 2xx: kind of request, status or error. */
  failed: string[];
  ingestions: RequestId[];
}

/**
 * Callers who search, ask and bring documents without pause, over gateways that come and go: as the endpoints of a
 * Kubernetes service, `gateways` holds those that are ready, and a request takes the next.
 */
export class RollingLoad {
  readonly result: LoadResult = { sent: 0, failed: [], ingestions: [] };
  private turn = 0;
  private answered = 0;
  private running = true;
  private readonly callers: Promise<void>[];

  constructor(
    private readonly gateways: FleetMember[],
    private readonly key: string,
  ) {
    const kinds = { search: 4, reason: 2, ingest: 1 } as const;
    this.callers = Object.entries(kinds).flatMap(([kind, count]) =>
      Array.from({ length: count }, () => this.call(kind as keyof typeof kinds)),
    );
  }

  /** Until so many more of its requests have been answered, well or not. */
  async waitForAnswers(more: number): Promise<void> {
    const wanted = this.answered + more;
    await waitFor(() => this.answered >= wanted, { what: `${more} more answers` });
  }

  async stop(): Promise<LoadResult> {
    this.running = false;
    await Promise.all(this.callers);
    return this.result;
  }

  private async call(kind: 'search' | 'reason' | 'ingest'): Promise<void> {
    while (this.running) {
      const gateway = this.gateways[(this.turn += 1) % this.gateways.length];
      if (!gateway) throw new Error('there is no gateway');
      const client = new ApiClient(gateway.url, this.key);
      this.result.sent += 1;
      try {
        const { status, body, text } = await this.request(client, kind);
        if (status >= 300) this.result.failed.push(`${kind}: ${status} ${text.slice(0, 200)}`);
        else if (kind === 'ingest') this.result.ingestions.push((body as { requestId: RequestId }).requestId);
      } catch (error) {
        this.result.failed.push(
          `${kind}: ${error instanceof Error ? `${error.message} ${String(error.cause)}` : 'error'}`,
        );
      }
      this.answered += 1;
      // Not as much as two cores can take: what fails here must have failed by the change of processes.
      await delay(kind === 'search' ? 20 : 100);
    }
  }

  private request(client: ApiClient, kind: 'search' | 'reason' | 'ingest') {
    switch (kind) {
      case 'search':
        return client.post('/v1/search', { query: 'harbour lantern' });
      case 'reason':
        return client.post('/v1/reason', { query: 'When is the lantern in the harbour lit?' });
      case 'ingest': {
        // Of its own: what has been there before is skipped.
        const name = `rolling-${randomUUID()}`;
        const document = buildDocument({
          externalId: name,
          title: name,
          body: `The crate ${name} came over the quay this morning.`,
          accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        });
        return client.post('/v1/ingest', { documents: [document] });
      }
    }
  }
}

/** States of all items of the ingestions, once all are done. */
export async function statesOf(
  client: ApiClient,
  ingestions: readonly RequestId[],
  timeoutMs: number,
): Promise<string[]> {
  const ends = Date.now() + timeoutMs;
  for (;;) {
    const all = [];
    for (const requestId of ingestions) all.push(await client.call(ingestionRoute, { params: { requestId } }));
    if (all.every(({ done }) => done) || Date.now() > ends)
      return all.flatMap(({ items }) => items.map(({ status }) => status));
    await delay(250);
  }
}
