import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const DATASETS = resolve(ROOT, process.env.CANDOR_DATASETS ?? '../shared/data');
const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));

const xquad = (language) => ({
  title: `XQuAD ${language}`,
  corpus: `xquad/corpus.${language}.jsonl`,
  queries: `xquad/queries.${language}.jsonl`,
  qrels: `xquad/qrels.${language}.tsv`,
  metric: 'recall@10',
});

const SETS = {
  scifact: {
    title: 'SciFact train',
    corpus: 'scifact/corpus.jsonl',
    queries: 'scifact/queries.train.jsonl',
    qrels: 'scifact/qrels.train.tsv',
    metric: 'nDCG@10',
  },
  'xquad-en': xquad('en'),
  squad: {
    title: 'SQuAD 2.0, answerable',
    corpus: 'squad2-half/corpus.jsonl',
    queries: 'squad2-half/queries.jsonl',
    qrels: 'squad2-half/qrels.tsv',
    metric: 'recall@10',
  },
  hotpot: {
    title: 'HotpotQA, 100 train questions',
    corpus: 'hotpotqa-train100/corpus.jsonl',
    queries: 'hotpotqa-train100/queries.jsonl',
    qrels: 'hotpotqa-train100/qrels.tsv',
    metric: 'recall@10',
  },
  'xquad-de': xquad('de'),
  'xquad-zh': xquad('zh'),
  'xquad-ar': xquad('ar'),
  /** Written for this project and in the repository: shows that a benchmark runs, and nothing else. */
  smoke: {
    title: 'Smoke',
    folder: FIXTURES,
    corpus: 'corpus.jsonl',
    queries: 'queries.jsonl',
    qrels: 'qrels.tsv',
    metric: 'recall@10',
  },
};
export const SET_NAMES = Object.keys(SETS);
/** What `all` means. */
export const MEASURED_SETS = SET_NAMES.filter((name) => name !== 'smoke');

/**
 * `{ name, title, metric, documents: [{ id, title, text }], queries: [{ id, text, relevant: Set<id> }] }`; queries without
 * a relevant document are left out. With `sample`, that many queries spread over the set, the documents relevant to them
 * and four others for each.
 */
export async function readDataSet(name, sample) {
  const { title, corpus, queries, qrels, metric, folder = DATASETS } = SETS[name];
  const relevant = new Map();
  for (const line of (await readText(folder, qrels)).trim().split('\n').slice(1)) {
    const [query, document, score] = line.split('\t');
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document));
  }
  const documents = await readLines(folder, corpus);
  const asked = (await readLines(folder, queries)).flatMap(({ id, text }) =>
    relevant.has(String(id)) ? [{ id: String(id), text, relevant: relevant.get(String(id)) }] : [],
  );
  const whole = { name, title, metric, documents, queries: asked };
  return sample === undefined ? whole : { ...whole, ...sampleOf(documents, asked, sample) };
}

export function spread(rows, count) {
  const wanted = Math.min(count, rows.length);
  return Array.from({ length: wanted }, (_, index) => rows[Math.floor((index * rows.length) / wanted)]);
}

function sampleOf(documents, queries, count) {
  const chosen = spread(queries, count);
  const needed = new Set(chosen.flatMap((query) => [...query.relevant]));
  const others = spread(
    documents.filter(({ id }) => !needed.has(id)),
    4 * chosen.length,
  );
  return { queries: chosen, documents: [...documents.filter(({ id }) => needed.has(id)), ...others] };
}

async function readText(folder, path) {
  try {
    return await readFile(join(folder, path), 'utf8');
  } catch (error) {
    throw new Error(`${join(folder, path)} can't be read; CANDOR_DATASETS names the folder of the data sets`, {
      cause: error,
    });
  }
}

async function readLines(folder, path) {
  const lines = (await readText(folder, path)).trim().split('\n');
  return lines.map((line) => JSON.parse(line)).map((row) => ({ ...row, id: String(row.id) }));
}
