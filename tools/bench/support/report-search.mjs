import { readFile } from 'node:fs/promises';
import { busyNote, machine, ms, table, today } from './report.mjs';

const TARGET = 1.3;

function toSizeReport({ chunks, results, parts, soaked }, isFilledUp) {
  const { embed, search, recheck, total } = parts;
  const around = isFilledUp
    ? ': the same documents among others, made of their sentences, with vectors between theirs, taken in through the pipeline'
    : ': the documents alone';
  return `### ${chunks.toLocaleString('en')} chunks

The index${around}.

${toTable({ results })}

Inside retrieval, medians over all of it: embedding ${ms(embed)}, index ${ms(search)} after that, recheck ${ms(recheck)}, in all
${ms(total)}.${soaked ? `\n\n${toSoakReport(soaked)}` : ''}`;
}

function toSoakReport({ clients, seconds, requests, failures, p50, p99, perSecond, processes }) {
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const rows = processes.map(({ name, delayMean, delayP99, memoryBefore, memoryAfter }) => [
    name,
    ms(delayMean),
    ms(delayP99),
    `${memoryBefore.toFixed(0)} → ${memoryAfter.toFixed(0)} MB`,
  ]);
  return `${clients} clients for ${seconds.toFixed(0)} s, every query another one: ${requests} requests, **${failed} failed**${
    failed > 0
      ? ` (${Object.entries(failures)
          .map(([message, count]) => `${count} × ${message}`)
          .join('; ')})`
      : ''
  }; p50 ${ms(p50)}, p99 ${ms(p99)}, ${perSecond.toFixed(1)} requests/s.

${table(['process', 'event loop delay, mean', 'p99', 'resident memory'], rows)}`;
}

function toTable({ results }) {
  const head = [
    'clients',
    'side',
    'p50',
    'p99',
    'requests/s',
    'processor',
    'p50 ratio',
    'ratio by round',
    `≤ ${TARGET}`,
  ];
  const rows = results.flatMap(({ clients, requests, candor, raw, ratio, roundRatios }) => {
    const numbers = (side) => [ms(side.p50), ms(side.p99), side.perSecond.toFixed(1), ms(side.spent)];
    const range = `${Math.min(...roundRatios).toFixed(2)}–${Math.max(...roundRatios).toFixed(2)}`;
    return [
      [
        `${clients} (${requests} requests)`,
        'Candor',
        ...numbers(candor),
        `**${ratio.toFixed(2)}**`,
        range,
        ratio <= TARGET ? 'yes' : '**no**',
      ],
      ['', 'raw', ...numbers(raw), '', '', ''],
    ];
  });
  return table(head, rows);
}

/**
 * @param measured `{ elasticsearch?: [the documents alone, the index filled up], lancedb? }`
 * @param under what it was measured with
 */
export async function reportSearch({ elasticsearch, lancedb }, under) {
  const { corpus, options, loadBefore, limit, candidates } = under;
  const command = `npm run bench:search${options.argv.length > 0 ? ` -- ${options.argv.join(' ')}` : ''}`;
  const parts = [
    `# Speed of search`,
    `Measured ${today()} with \`${command}\` on ${machine()}; model ${options.model}. ${corpus.documents.length} documents (${corpus.title}).${
      options.sample ? ' **A sample: it shows that this runs, nothing else.**' : ''
    } Every query is asked once, no query cache on either side; both sides take turns, so that noise meets both. Everything – servers,
services, load – runs on the one machine, so at 16 clients the ratio is one of processor time. _processor_: processor time a request of the side's
own Node processes (embedding included, servers left out).${busyNote(loadBefore)}`,
  ];
  if (elasticsearch) {
    parts.push(
      `## Elasticsearch: \`POST /v1/search\` beside the raw client

_Candor_: HTTP to the gateway, gRPC to retrieval, real Postgres, Redis and Elasticsearch, \`limit\` ${limit}, the audit event
committed before each answer. _raw_: one embedding with the same model and threads, then the dense leg and the BM25 leg as one \`_msearch\` with the
official client: same node, index, filter and number of candidates (${candidates}), no fusion, no checks, no HTTP in front.`,
      ...elasticsearch.map((measured, position) => toSizeReport(measured, position > 0)),
    );
  }
  if (lancedb) {
    parts.push(
      `## LanceDB: retrieval in process beside the raw client

${lancedb.chunks} chunks. _Candor_: retrieval in process without HTTP, gRPC and Postgres. _raw_: one embedding, then both legs with the LanceDB client
on the same table.

${toTable(lancedb)}`,
    );
  }
  if (elasticsearch && !options.sample) {
    const costs = await readFile(new URL('./search-costs.md', import.meta.url), 'utf8');
    parts.push(costs.trim());
  }
  return `${parts.join('\n\n')}\n`;
}
