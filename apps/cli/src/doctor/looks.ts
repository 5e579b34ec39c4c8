import type { CandorClient } from '@candor/client';
import type { Finding } from './finding.js';

type Outcome = Omit<Finding, 'what'>;

export interface LookOptions {
  /** Of what may take as long as the gateway allows: a slow model is not broken. */
  patienceMs: number;
}

export interface Look {
  what: string;
  /** What the key has to be allowed to do. */
  actions: readonly string[];
  look: (client: CandorClient, options: LookOptions) => Promise<Outcome>;
  /** What to do when it takes too long; without: what to do about a gateway that does. */
  mendDeadline?: string;
}

/** What is tried with the key, one after the other. */
export const LOOKS: readonly Look[] = [
  {
    what: 'search',
    actions: ['search'],
    look: async (client) => {
      const { hits } = await client.search({ query: 'doctor', limit: 1 });
      if (hits.length > 0) return { state: 'ok', message: 'A search finds something.' };
      return { state: 'ok', message: 'A search answers; it finds nothing for the word “doctor”.' };
    },
  },
  {
    what: 'answers',
    actions: ['reason', 'documents:read'],
    look: async (client, { patienceMs }) => {
      const { data } = await client.listDocuments({ limit: 100 });
      const document = data.find(({ status }) => status === 'ready');
      if (!document) return { state: 'ok', message: describeNoneReady(data.length) };
      // Within a document the relevance gate is open, so whoever writes the answers is really asked.
      await client.reason(
        { query: 'What does it say?', documentId: document.id, limit: 1 },
        { deadlineMs: patienceMs },
      );
      return { state: 'ok', message: 'A question is answered.' };
    },
    mendDeadline:
      'Whoever writes the answers is too slow: choose a faster LLM_MODEL, or raise LLM_TIMEOUT_MS of synthesis and, above it, REASON_DEADLINE_MS of the gateway, and above that --deadline of this program; their logs say how long a call takes.',
  },
  {
    what: 'dead letters',
    actions: ['ingest'],
    look: async (client) => {
      const { data, pagination } = await client.deadLetters({ limit: 100 });
      if (data.length === 0) return { state: 'ok', message: 'No item has failed for good.' };
      const count = `${data.length}${pagination.hasMore ? ' or more' : ''}`;
      return {
        state: 'warning',
        message: `${count} items could not be ingested.`,
        mend: 'GET /v1/dead-letters says why of each; POST …/:id/retry tries again.',
      };
    },
  },
  {
    what: 'sources',
    actions: ['sources:read'],
    look: async (client) => {
      const { data } = await client.listSources({ limit: 100 });
      const troubled = data.filter(({ lastError }) => lastError !== null);
      if (troubled.length === 0) return { state: 'ok', message: `${data.length} connected, none in trouble.` };
      return {
        state: 'warning',
        message: `In trouble: ${troubled.map(({ name, lastError }) => `${name} (${lastError?.type})`).join(', ')}.`,
        mend: 'POST /v1/sources/:id/check says whether the credentials still hold; `candor sync <id>` tries again.',
      };
    },
  },
  {
    what: 'generations',
    actions: ['generations:manage'],
    look: async (client) => {
      const { data } = await client.listGenerations({ limit: 100 });
      const live = data.find(({ state }) => state === 'live');
      if (!live)
        return {
          state: 'warning',
          message: 'There is no index yet.',
          mend: 'Ingest something: candor import <path>.',
        };
      if (live.drift.length === 0) return { state: 'ok', message: 'The live index is what the workers are set to.' };
      return {
        state: 'warning',
        message: `The live index differs from the workers’ settings in ${live.drift.join(', ')}.`,
        mend: 'Build a new one: candor generations create --wait, then candor generations promote <id>.',
      };
    },
  },
];

function describeNoneReady(count: number): string {
  if (count === 0) return 'There is no document yet that could be asked about.';
  return `None of the newest ${count} documents is ready, so nothing was asked.`;
}
