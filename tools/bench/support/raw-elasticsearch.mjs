import { Client } from '@elastic/elasticsearch';

/**
 * What a program with the official client would do for the same candidates: one embedding, both legs in one `_msearch`,
 * the same filter, the same number of hits. It neither fuses nor checks anything.
 */
export class RawElasticsearch {
  constructor(url, embedder) {
    this.client = new Client({ node: url, maxRetries: 0, requestTimeout: 60_000 });
    this.embedder = embedder;
  }

  /** The one live index whose name holds the tenant's id. */
  async findIndex(tenantId) {
    const indices = await this.client.cat.indices({ index: `candor-${tenantId}-*`, format: 'json' });
    const live = indices.map(({ index }) => index).filter((name) => !name.endsWith('-history'));
    if (live.length !== 1) throw new Error(`expected one index, found ${live.join(', ') || 'none'}`);
    return live[0];
  }

  async search({ index, tenantId, text, k }) {
    const vector = await this.embedder.embedQuery(text);
    const filter = [{ term: { tenantId } }];
    const common = { size: k, track_total_hits: false, _source: { excludes: ['vector'] } };
    const { responses } = await this.client.msearch({
      searches: [
        { index },
        {
          ...common,
          knn: {
            field: 'vector',
            query_vector: Array.from(vector),
            k,
            num_candidates: Math.max(400, 2 * k),
            filter,
          },
        },
        { index },
        {
          ...common,
          query: {
            bool: {
              must: [{ combined_fields: { query: text, fields: ['title^2', 'sectionPath', 'content'] } }],
              filter,
            },
          },
        },
      ],
    });
    for (const response of responses) if (response.error) throw new Error(JSON.stringify(response.error));
    return responses;
  }

  close() {
    return this.client.close();
  }
}
