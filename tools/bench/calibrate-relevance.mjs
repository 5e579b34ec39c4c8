// Calibrates the relevance floor and the reasoning guard of the local embedding models on SQuAD 2.0.
// Prints docs/reference/relevance-floor.md; --write also writes it. Build first: npx tsc -b libs/embeddings tools/models
// CANDOR_DATASETS is the folder with squad2-half/{corpus,queries}.jsonl (default ../shared/data).
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureModel } from '@candor/models';
import { createEmbedder, findRelevanceProfile } from '@candor/embeddings';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DATASETS = resolve(ROOT, process.env['CANDOR_DATASETS'] ?? '../shared/data');
const MODELS = ['bge-small-en-v1.5-q', 'all-minilm-l6-v2-q'];
const QUESTIONS = 300;
const WRONG_REFUSALS = 0.05;

const readLines = async (path) =>
  (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const dot = (left, right) => left.reduce((sum, value, index) => sum + value * right[index], 0);
const articleOf = (paragraphId) => paragraphId.slice(0, paragraphId.lastIndexOf('#'));

/** Evenly over the articles, the same every time. */
const sample = (rows, count) => {
  const sorted = rows.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return Array.from(
    { length: Math.min(count, sorted.length) },
    (_, index) => sorted[Math.floor((index * sorted.length) / count)],
  );
};

/** The largest threshold that at most this share of the values lies below. */
const thresholdAt = (values, share) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)];
const shareBelow = (values, threshold) => values.filter((value) => value < threshold).length / values.length;
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const cosine = (value) => value.toFixed(3);

async function measure(modelName, corpus, answerable, unanswerable, formatPassage) {
  const { modelPath, tokenizerPath, sha256 } = await ensureModel({ name: modelName, onProgress: console.error });
  const embedder = await createEmbedder({ kind: 'onnx', model: modelName, modelPath, tokenizerPath, revision: sha256 });
  try {
    const passages = await embedder.embedPassages(corpus.map(formatPassage));
    const scoreAll = async (question) => {
      const vector = await embedder.embedQuery(question.text);
      return corpus.map((paragraph, index) => ({ id: paragraph.id, score: dot(vector, passages[index]) }));
    };
    const best = (scored) => Math.max(...scored.map(({ score }) => score));
    const result = { present: [], right: [], absent: [], adversarial: [], first: 0 };
    for (const question of answerable) {
      const scored = await scoreAll(question);
      const right = scored.find(({ id }) => id === question.doc).score;
      result.present.push(best(scored));
      result.right.push(right);
      result.first += right === best(scored) ? 1 : 0;
      result.absent.push(best(scored.filter(({ id }) => articleOf(id) !== articleOf(question.doc))));
    }
    for (const question of unanswerable) result.adversarial.push(best(await scoreAll(question)));
    return result;
  } finally {
    await embedder.close();
  }
}

function formatRow(label, result) {
  const floor = thresholdAt(result.right, WRONG_REFUSALS);
  const guard = thresholdAt(result.present, WRONG_REFUSALS);
  return `| ${[
    label,
    cosine(floor),
    cosine(guard),
    percent(shareBelow(result.present, floor)),
    percent(shareBelow(result.absent, floor)),
    percent(shareBelow(result.absent, guard)),
    percent(shareBelow(result.adversarial, guard)),
    [result.present, result.absent, result.adversarial].map((values) => cosine(thresholdAt(values, 0.5))).join(' / '),
    percent(result.first / result.present.length),
  ].join(' | ')} |`;
}

const corpus = await readLines(join(DATASETS, 'squad2-half/corpus.jsonl'));
const queries = await readLines(join(DATASETS, 'squad2-half/queries.jsonl'));
const answerable = sample(
  queries.filter((query) => query.answerable),
  QUESTIONS,
);
const unanswerable = sample(
  queries.filter((query) => !query.answerable),
  QUESTIONS,
);

const rows = [];
for (const model of MODELS) {
  const withTitle = (paragraph) => `${paragraph.title}\n\n${paragraph.text}`;
  rows.push(formatRow(`${model}, title + text`, await measure(model, corpus, answerable, unanswerable, withTitle)));
  rows.push(
    formatRow(`${model}, text alone`, await measure(model, corpus, answerable, unanswerable, ({ text }) => text)),
  );
}
const inUse = MODELS.map((model) => {
  const { relevanceFloor, reasoningGuard } = findRelevanceProfile({ model });
  return `| ${model} | ${relevanceFloor} | ${reasoningGuard} |`;
});

const report = `# Relevance floor and reasoning guard

A cosine has no meaning of its own: each embedding model has its own scale. Two constants per model say where
"not relevant" begins; they live in \`libs/embeddings/src/relevance-profile.ts\`.

- **Relevance floor**: a passage below it is left out of a result (and named as an exclusion). It is the 5 % quantile of
  the cosine between an answerable question and the paragraph that answers it.
- **Reasoning guard**: an unscoped question whose *best* passage lies below it is not reasoned about. It is the 5 %
  quantile of the best cosine of answerable questions, so at most 5 % are refused wrongly.

In use (the measured values with the title, rounded down to two digits):

| model | relevance floor | reasoning guard |
|---|---|---|
${inUse.join('\n')}

A model without a row has floor and guard 0: nothing is left out for its cosine, until somebody calibrates it.

## The run

SQuAD 2.0 (half of the dev set): ${corpus.length} paragraphs as the corpus; ${answerable.length} answerable questions, once with all paragraphs and
once with their own article removed ("absent"); ${unanswerable.length} adversarial questions (written to look answerable).

| model and embedded text | floor | guard | answerable wholly below the floor | absent wholly below the floor | absent refused by the guard | adversarial refused by the guard | median best cosine: answerable / absent / adversarial | right paragraph first |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

The guard tells absent subjects well and adversarial questions badly: those lie as near to their paragraph as real
ones. Whether a passage *answers* the question is decided later, from its sentences.

Repeat with \`node tools/bench/calibrate-relevance.mjs --write\` (\`CANDOR_DATASETS\` names the folder of the data sets).
`;
console.log(report);
if (process.argv.includes('--write')) await writeFile(join(ROOT, 'docs/reference/relevance-floor.md'), report);
