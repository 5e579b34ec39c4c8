import { ExtractiveAnswerProvider } from '../../../../apps/synthesis/dist/answer-providers/extractive/extractive.answer-provider.js';
import { selectQuotations } from '../../../../apps/synthesis/dist/answer-providers/extractive/select-quotations.js';
import { spread } from '../data-sets.mjs';
import { judgeAnswer, share, sum } from './judge-answer.mjs';
import { openSet, withoutSubjects } from './measure-provider.mjs';

const QUESTIONS = 300;
const FLOORS = [0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2];

class RankKeepingProvider extends ExtractiveAnswerProvider {
  async rankSentences(...question) {
    this.ranked = await super.rankSentences(...question);
    return this.ranked;
  }
}

/**
 * The extractive provider's acceptance: gold sentence among the quotations, precision, refusals, and all of it as a curve
 * over the provider's floor. The curve asks retrieval once: what the provider is shown doesn't depend on the floor.
 */
export async function measureExtractive({ sets, embedder, say }) {
  const provider = new RankKeepingProvider(embedder);
  const opened = await openSet(sets.includes('smoke') ? 'smoke' : 'squad', { embedder, answerProvider: provider });
  try {
    const { set, places } = opened;
    const answerable = spread(set.answerable, QUESTIONS);
    const halves = halveByArticle(answerable);
    const kinds = {
      present: await askKind(opened, provider, answerable),
      absent: await askKind(opened, provider, answerable, withoutSubjects),
      adversarial: await askKind(opened, provider, spread(set.adversarial, QUESTIONS)),
    };
    say(`${set.title}: asked ${sum(Object.values(kinds), (rows) => rows.length)} questions`);
    const curve = FLOORS.map((floor) => ({
      floor,
      ...summarize(mapKinds(kinds, (row) => judgeAnswer(quoteAt(floor, row), row.question, places))),
    }));
    return {
      title: set.title,
      counts: Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, rows.length])),
      inUse: summarize(mapKinds(kinds, ({ asked, question }) => judgeAnswer(asked, question, places))),
      halves: halves.map((isIn) =>
        summarize(
          mapKinds(
            { present: kinds.present.filter(isIn), absent: kinds.absent.filter(isIn), adversarial: [] },
            ({ asked, question }) => judgeAnswer(asked, question, places),
          ),
        ),
      ),
      gate: Object.fromEntries(
        Object.entries(kinds).map(([kind, rows]) => [kind, share(rows, ({ asked }) => asked.packet === undefined)]),
      ),
      curve,
      steps: STEPS.map(([step, choose]) => ({ step, ...summarizeStep(kinds.present, choose, places) })),
    };
  } finally {
    await opened.close();
  }
}

async function askKind({ ask }, provider, questions, viewOf) {
  const rows = [];
  for (const question of questions) {
    const asked = await ask(question.text, viewOf === undefined ? {} : { isLive: viewOf(question) });
    if (!asked.reply.ok) throw new Error(`${asked.reply.error.code} for "${question.text}"`);
    rows.push({ question, asked, ranked: asked.packet === undefined ? [] : provider.ranked });
  }
  return rows;
}

function halveByArticle(questions) {
  const articles = [...new Set(questions.flatMap(({ subjects }) => [...subjects]))].sort();
  return [0, 1].map(
    (half) =>
      ({ question }) =>
        articles.findIndex((article) => question.subjects.has(article)) % 2 === half,
  );
}

const mapKinds = (kinds, judge) =>
  Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, rows.map(judge)]));

/** What the provider would quote of the ranked sentences at this floor. */
const quoteAt = (floor, { asked: { reply }, ranked }) => ({
  reply,
  kept: selectQuotations(ranked, floor).map(({ sources }) => toStatement(sources)),
});

function toStatement(sentences) {
  return {
    references: sentences.map(({ chunk, sentence }) => ({
      chunkId: chunk.chunkId,
      quotation: chunk.content.slice(sentence.start, sentence.end),
    })),
  };
}

const best = (ranked, valueOf, count) =>
  ranked.toSorted((left, right) => valueOf(right) - valueOf(left)).slice(0, count);
/** The last is what the provider does, without its floor. */
const STEPS = [
  ['best sentence by words', (ranked) => best(ranked, ({ wordScore }) => wordScore, 1)],
  ['best by words and meaning', (ranked) => best(ranked, ({ score }) => score, 1)],
  ['three best by words and meaning', (ranked) => best(ranked, ({ score }) => score, 3)],
  [
    'selection: rivals, near the best, uncovered parts',
    (ranked) => selectQuotations(ranked, -Infinity).flatMap(({ sources }) => sources),
  ],
];

function summarizeStep(rows, choose, places) {
  const judged = rows.map(({ question, asked: { reply }, ranked }) => {
    const kept = choose(ranked).map((sentence) => toStatement([sentence]));
    return judgeAnswer({ reply, kept }, question, places);
  });
  const { golden, precision, quotations } = summarize({ present: judged, absent: [], adversarial: [] });
  return { golden, precision, quotations };
}

function summarize({ present, absent, adversarial }) {
  const quotations = sum(present, (row) => row.quotations);
  return {
    golden: share(present, ({ hasGolden }) => hasGolden),
    goldenFirst: share(present, ({ isGoldenFirst }) => isGoldenFirst),
    right: share(present, ({ isRight }) => isRight),
    quotations: quotations / present.length,
    mostQuotations: Math.max(0, ...present.map((row) => row.quotations)),
    precision: sum(present, (row) => row.goldenQuotations) / quotations,
    documentPrecision: sum(present, (row) => row.quotationsOfRightDocument) / quotations,
    wronglyRefused: share(present, ({ isRefused }) => isRefused),
    absentRefused: share(absent, ({ isRefused }) => isRefused),
    adversarialRefused: share(adversarial, ({ isRefused }) => isRefused),
  };
}
