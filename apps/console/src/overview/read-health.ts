export interface Health {
  status: 'ok' | 'degraded' | 'starting' | 'unavailable';
  parts: { name: string; works: boolean }[];
}

const STATUSES = ['ok', 'degraded', 'starting', 'unavailable'] as const;

/** What `/readyz` says; a proxy's page in its place is no health report. */
export function readHealth(body: unknown): Health {
  const { status, checks } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const known = STATUSES.find((name) => name === status);
  if (known === undefined || typeof checks !== 'object' || checks === null)
    throw new Error('What answers at /readyz is no health report.');
  const parts = Object.entries(checks).map(([name, state]) => ({ name, works: state === 'ok' }));
  return { status: known, parts: parts.sort((a, b) => Number(a.works) - Number(b.works)) };
}

export const HEALTH_WORDS: Readonly<Record<Health['status'], string>> = {
  ok: 'Everything works',
  degraded: 'It works, with parts missing',
  starting: 'It is starting',
  unavailable: 'It cannot answer',
};

const PART_WORDS: Readonly<Record<string, string>> = {
  database: 'Database',
  index: 'Search index',
  model: 'Embedding model',
  queue: 'Job queue',
  retrieval: 'Retrieval service',
  'first-key': 'First key',
  'first-start': 'First start',
  'ready-file': 'First data',
};

export function describePart(name: string): string {
  if (name.startsWith('workers:')) return `Workers of ${name.slice('workers:'.length)}`;
  return PART_WORDS[name] ?? name;
}
