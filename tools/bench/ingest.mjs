// npm run bench:ingest: from `POST /v1/ingest` until everything is indexed, beside a bare loop that embeds and `_bulk`s the
// same chunks with the same model and threads, in turns on the same servers. Build first.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { ensureModel } from '@candor/models';
import { backgroundDocuments } from './support/background-corpus.mjs';
import { prepareItemsFor } from './support/build-chunks.mjs';
import { readDataSet, spread } from './support/data-sets.mjs';
import { ingestAll, toIngestDocument } from './support/ingest-corpus.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { ingestRaw } from './support/raw-ingest.mjs';
import { busyNote, machine, publish, say, table, today } from './support/report.mjs';
import { BenchStack } from './support/start-stack.mjs';

const HELP = `node tools/bench/ingest.mjs [--model NAME[,NAME]] [--shape NAME[,NAME]] [--documents N] [--rounds N] [--sample] [--write]

  --model      default bge-small-en-v1.5-q,hashing: the second shows what the pipeline itself can do
  --shape      default abstracts,pages,long: single abstracts, about one chunk each, pages of ten and documents of thirty
  --documents  abstracts of SciFact, over all rounds of a side; default 300 with a model, 20,000 with hashing. More than there
               are: as many again, of their sentences in a new order
  --rounds     turns a side takes; default 2
  --sample     the documents of the repository in one round: shows that it runs
  --profile    folder for processor profiles of the gateway and the worker, which are slower by that
  --write      writes docs/reference/ingest-speed.md
`;
/** Of an abstract of the corpus: 200 words. */
const PARAGRAPHS_AN_ABSTRACT = 2;
/** Abstracts a document: what one of several chunks costs beside several of one. */
const ABSTRACTS = { pages: 10, long: 30 };
const TARGETS = { model: { ratio: 0.85, perSecond: 0 }, hashing: { ratio: 0.7, perSecond: 500 } };

function readOptions() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string', default: 'bge-small-en-v1.5-q,hashing' },
      shape: { type: 'string', default: 'abstracts,pages,long' },
      documents: { type: 'string' },
      rounds: { type: 'string', default: '2' },
      sample: { type: 'boolean', default: false },
      profile: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  return {
    ...values,
    rounds: values.sample ? 1 : Number(values.rounds),
    models: values.model.split(','),
    shapes: values.shape.split(','),
  };
}

function countOf(model, options) {
  if (options.documents !== undefined) return Number(options.documents);
  return model === 'hashing' ? 20_000 : 300;
}

/** A rate counts once it flows: a few thousand chunks are over before the first and the last of them have been waited for. */
function abstractsOf(corpus, count) {
  const missing = count - corpus.length;
  if (missing <= 0) return spread(corpus, count);
  return [...corpus, ...backgroundDocuments(corpus, missing, PARAGRAPHS_AN_ABSTRACT)];
}

/** Abstracts as they are, or the same ones as documents with a heading each. */
function shapeOf(shape, documents) {
  if (shape === 'abstracts') return documents;
  const size = ABSTRACTS[shape];
  if (size === undefined) throw new Error(`there is no shape ${shape}`);
  const whole = [];
  for (let start = 0; start < documents.length; start += size) {
    const part = documents.slice(start, start + size);
    whole.push({
      id: `${shape}-${part[0].id}`,
      title: `Abstracts from ${part[0].title}`,
      text: part.map(({ title, text }) => `## ${title}\n\n${text}`).join('\n\n'),
      mimeType: 'text/markdown',
    });
  }
  return whole;
}

const chunksOf = (items) => items.reduce((sum, { nodes }) => sum + nodes.length, 0);

async function measure(stack, documents, shape, model, options) {
  const embedder = await loadEmbedder(model, say);
  const directory = model === 'hashing' ? undefined : (await ensureModel({ name: model })).dir;
  const environment = { EMBEDDINGS_MODEL: model, CANDOR_MODEL_DIR: directory };
  const items = prepareItemsFor(embedder, documents);
  const size = Math.ceil(items.length / options.rounds);
  const seconds = { candor: 0, raw: 0, packed: 0 };
  const ratios = [];
  const installation = await stack.install(['gateway', 'ingestion-worker'], environment, options.profile);
  try {
    // The first document pays for the tenant's index and for connections.
    await ingestAll(
      installation,
      [toIngestDocument({ id: 'warm-up', title: 'Warm-up', text: 'Nothing to see here.' })],
      20,
    );
    installation.startProfiles();
    for (let round = 0; round < options.rounds; round++) {
      const part = items.slice(round * size, (round + 1) * size);
      const index = `bench-raw-${process.pid}-${round}`;
      const sides = {
        candor: () =>
          ingestAll(
            installation,
            part.map(({ document }) => toIngestDocument(document)),
          ),
        raw: () => ingestRaw(stack.elasticsearchUrl, part, embedder, index),
        packed: () => ingestRaw(stack.elasticsearchUrl, part, embedder, `${index}-packed`, 'binary'),
      };
      const order = ['candor', 'raw', ...(model === 'hashing' ? ['packed'] : [])];
      const took = {};
      for (const side of round % 2 === 0 ? order : order.toReversed()) {
        took[side] = await sides[side]();
        seconds[side] += took[side];
      }
      ratios.push(took.raw / took.candor);
      say(
        `${model}, round ${round + 1}: ${chunksOf(part)} chunks, candor ${took.candor.toFixed(1)} s, raw ${took.raw.toFixed(1)} s`,
      );
    }
  } finally {
    await installation.stop();
    await embedder.close();
  }
  return { model, shape, documents: items.length, chunks: chunksOf(items), seconds, ratios };
}

function toRows({ model, shape, documents, chunks, seconds, ratios }) {
  const target = model === 'hashing' ? TARGETS.hashing : TARGETS.model;
  const rate = { candor: chunks / seconds.candor, raw: chunks / seconds.raw };
  const ratio = rate.candor / rate.raw;
  const packed = chunks / seconds.packed;
  const reached = ratio >= target.ratio && rate.candor >= target.perSecond;
  const wanted = `≥ ${target.ratio}${target.perSecond > 0 ? ` and ≥ ${target.perSecond}/s` : ''}`;
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  return [
    [
      model,
      shape,
      `${documents} / ${chunks}`,
      'Candor',
      rate.candor.toFixed(1),
      `**${ratio.toFixed(2)}**`,
      range,
      `${reached ? 'yes' : '**no**'} (${wanted})`,
    ],
    ['', '', '', 'raw', rate.raw.toFixed(1), '', '', ''],
    ...(seconds.packed === 0
      ? []
      : [['', '', '', 'raw, packed', packed.toFixed(1), (rate.candor / packed).toFixed(2), '', '(shown, no target)']]),
  ];
}

const options = { ...readOptions(), argv: process.argv.slice(2).filter((argument) => argument !== '--write') };
const [loadBefore] = loadavg();
const corpus = (await readDataSet(options.sample ? 'smoke' : 'scifact')).documents;
const stack = await BenchStack.start(say);
const results = [];
try {
  for (const model of options.models) {
    const documents = options.sample ? corpus : abstractsOf(corpus, countOf(model, options));
    for (const shape of options.shapes)
      results.push(await measure(stack, shapeOf(shape, documents), shape, model, options));
  }
} finally {
  await stack.stop();
}
const command = `npm run bench:ingest${options.argv.length > 0 ? ` -- ${options.argv.join(' ')}` : ''}`;
const report = `# Speed of ingestion

Measured ${today()} with \`${command}\` on ${machine()}. ${
  options.sample
    ? '**A sample: it shows that this runs, nothing else.**'
    : 'Abstracts of SciFact, and beyond those as many of their sentences in a new order'
}; both sides take turns on the same servers.${busyNote(loadBefore)}

- _Candor_: from the first \`POST /v1/ingest\` (500 documents a request) until every item is \`indexed\`: gateway, outbox, queue, extraction, chunks,
  embedding, Elasticsearch, versions and audit events, with real Postgres, Redis and Elasticsearch.
- _raw_: one loop that embeds the same chunks with the same model and threads and sends them with \`_bulk\`, 500 at a time, two under way; one
  refresh at the end. It sends vectors as numbers; _raw, packed_ sends them in base64, as Candor does where the server takes it.
- Documents: _abstracts_ as they are (1.1 chunks), _pages_ of ten and _long_ ones of thirty. An item costs the same states, events and
  commits whatever its length, so the fewer chunks it has the more they weigh.

${table(
  ['model', 'documents', 'documents / chunks', 'side', 'chunks/s', 'ratio', 'ratio by round', 'reached'],
  results.flatMap(toRows),
)}

\`hashing\` is no model: it takes next to no time, so it shows what the pipeline itself can do.
`;
await publish(report, options.write ? 'docs/reference/ingest-speed.md' : undefined);
