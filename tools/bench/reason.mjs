// npm run bench:reason: what an answer provider is worth behind `/v1/reason` and `/v1/reasoning`: statements, quotations,
// right answers, refusals, and attacks inside documents; and what the rules for contradictions find. Through the product's own retrieval, gate, packet and citation check. With
// LLM_BASE_URL and LLM_MODEL the OpenAI-compatible provider is measured, else the extractive one. Build first.
import { parseArgs } from 'node:util';
import { answerProviderEnvironment, createAnswerProvider } from '@candor/synthesis';
import { z } from 'zod';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { measureContradictions } from './support/reason/measure-contradictions.mjs';
import { measureExtractive } from './support/reason/measure-extractive.mjs';
import { measureInjections, measureProvider } from './support/reason/measure-provider.mjs';
import { measureTyped, measureTypedInjections } from './support/reason/measure-typed.mjs';
import { MAX_TOKENS } from './support/reason/open-reasoning.mjs';
import { writeExtractiveReport, writeProviderReport } from './support/reason/reason-report.mjs';
import { writeContradictionReport, writeTypedReport } from './support/reason/typed-report.mjs';
import { machine, publish, say } from './support/report.mjs';

const PARTS = ['provider', 'injection', 'typed', 'contradictions', 'acceptance'];
/** About rules of ours, whatever provider is measured. */
const OWN_PARTS = new Set(['contradictions', 'acceptance']);
const HELP = `node tools/bench/reason.mjs [--part NAME[,NAME…]] [--set NAME[,NAME…]] [--questions N] [--attacks N] [--max-tokens N] [--model NAME] [--write]

  --part       ${PARTS.join(', ')}; default all, for another provider than the extractive one without the last two
  --set        squad, hotpot or smoke; default squad,hotpot
  --questions  so many of each set and kind, default 100
  --attacks    so many, default all
  --max-tokens budget of the evidence packet of /v1/reason, default ${MAX_TOKENS}; for models with a small window
  --model      bge-small-en-v1.5-q (default), all-minilm-l6-v2-q or hashing
  --write      writes docs/reference/reasoning-quality.md
LLM_BASE_URL, LLM_MODEL, LLM_API_KEY, LLM_TIMEOUT_MS and LLM_MAX_OUTPUT_TOKENS as for the service itself.
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      part: { type: 'string' },
      set: { type: 'string', default: 'squad,hotpot' },
      questions: { type: 'string', default: '100' },
      attacks: { type: 'string', default: '1000' },
      'max-tokens': { type: 'string', default: `${MAX_TOKENS}` },
      model: { type: 'string', default: 'bge-small-en-v1.5-q' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const parts = values.part?.split(',');
  const sets = values.set.split(',');
  const [questions, attacks, maxTokens] = [values.questions, values.attacks, values['max-tokens']].map(Number);
  const isValid =
    (parts ?? []).every((part) => PARTS.includes(part)) &&
    sets.every((name) => ['squad', 'hotpot', 'smoke'].includes(name)) &&
    [questions, attacks, maxTokens].every((count) => Number.isInteger(count) && count > 0);
  if (values.help || !isValid) {
    console.log(HELP);
    process.exit(values.help ? 0 : 2);
  }
  return { ...values, parts, sets, questions, attacks, maxTokens };
}

const options = readOptions();
const config = z.object(answerProviderEnvironment).parse(process.env);
const embedder = await KeptVectorEmbedder.open(await loadEmbedder(options.model, say), say);
const answerProvider = createAnswerProvider(config, embedder);
const parts = options.parts ?? PARTS.filter((part) => answerProvider.name === 'extractive' || !OWN_PARTS.has(part));
const command = ['npm run bench:reason', ...withoutWrite(process.argv.slice(2))].join(' ');
const sections = [];
try {
  const { sets, questions, attacks, maxTokens } = options;
  const context = { embedder, answerProvider, say, sets, questions, attacks, maxTokens };
  const measured = {};
  if (parts.includes('provider')) measured.provider = await measureProvider(context);
  if (parts.includes('injection')) measured.injection = await measureInjections(context);
  if (measured.provider || measured.injection) {
    const model = answerProvider.name === 'extractive' ? null : config.LLM_MODEL;
    sections.push(
      writeProviderReport({
        ...measured,
        name: answerProvider.name,
        model,
        command,
        embedding: options.model,
        maxTokens,
      }),
    );
  }
  if (parts.includes('typed')) {
    const typed = await measureTyped(context);
    const injection = await measureTypedInjections(context);
    sections.push(writeTypedReport({ measured: typed, injection, name: answerProvider.name }));
  }
  if (parts.includes('contradictions')) sections.push(writeContradictionReport(await measureContradictions()));
  if (parts.includes('acceptance')) sections.push(writeExtractiveReport(await measureExtractive(context)));
} finally {
  answerProvider.close?.();
  await embedder.close();
}
await publish(sections.join('\n\n'), options.write ? 'docs/reference/reasoning-quality.md' : undefined);
say(machine());

function withoutWrite(argv) {
  const kept = argv.filter((argument) => argument !== '--write');
  return kept.length === 0 ? [] : ['--', ...kept];
}
