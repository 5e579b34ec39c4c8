import { spread } from '../data-sets.mjs';
import { embedItems, prepareItemsFor } from '../build-chunks.mjs';
import { readAttacks, runInjections } from './injections.mjs';
import { judgeAnswer, mapChunks, share, sum } from './judge-answer.mjs';
import { openReasoning } from './open-reasoning.mjs';
import { readReasonSet } from './reason-sets.mjs';

/** Set → chunks → a running pipeline. `places` says where each chunk stands. */
export async function openSet(name, { embedder, answerProvider, maxTokens }) {
  const set = await readReasonSet(name);
  const items = prepareItemsFor(embedder, set.documents);
  const chunksOfItems = await embedItems(items, embedder);
  const reasoning = await openReasoning({ items, chunksOfItems, embedder, answerProvider, maxTokens });
  return { set, places: mapChunks(items), ...reasoning };
}

export const withoutSubjects =
  ({ subjects }) =>
  (document) =>
    !subjects.has(document.subject);

/** Any provider over each set: answerable questions, the same with their subjects deleted, and adversarial ones. */
export async function measureProvider({ sets, questions: count, say, ...pipeline }) {
  const measured = [];
  for (const name of sets) {
    const opened = await openSet(name, pipeline);
    try {
      const { set } = opened;
      const answerable = spread(set.answerable, count);
      say(`${set.title}: ${answerable.length} questions with an answer`);
      const present = await askAll(opened, answerable);
      say(`${set.title}: the same, their subjects deleted`);
      const absent = await askAll(opened, answerable, withoutSubjects);
      const adversarial = await askAll(opened, spread(set.adversarial, count));
      measured.push({
        title: set.title,
        present: summarize(present),
        absent: summarize(absent),
        adversarial: summarize(adversarial),
      });
    } finally {
      await opened.close();
    }
  }
  return measured;
}

async function askAll({ ask, places }, questions, viewOf) {
  const rows = [];
  for (const question of questions) {
    const asked = await ask(question.text, viewOf === undefined ? {} : { isLive: viewOf(question) });
    const { statements, references, citationsDropped, kept } = asked;
    rows.push({
      ...judgeAnswer(asked, question, places),
      code: asked.reply.ok ? null : asked.reply.error.code,
      statements,
      statementsKept: kept.length,
      references,
      valid: references - citationsDropped,
      synthesisMs: asked.facts.synthesisMs ?? null,
    });
  }
  return rows;
}

function summarize(rows) {
  const withText = rows.filter(({ hasAnswerText }) => hasAnswerText);
  const times = rows.flatMap(({ synthesisMs }) => (synthesisMs === null ? [] : [synthesisMs])).sort((a, b) => a - b);
  const failures = new Map();
  for (const { code } of rows) if (code !== null) failures.set(code, (failures.get(code) ?? 0) + 1);
  return {
    questions: rows.length,
    statements: sum(rows, (row) => row.statements),
    statementsKept: sum(rows, (row) => row.statementsKept),
    references: sum(rows, (row) => row.references),
    valid: sum(rows, (row) => row.valid),
    withText: withText.length,
    right: withText.filter(({ isRight }) => isRight).length,
    golden: share(rows, ({ hasGolden }) => hasGolden),
    allSupport: share(rows, ({ hasAllSupport }) => hasAllSupport),
    refused: rows.filter(({ isRefused }) => isRefused).length,
    failures,
    medianMs: times.length === 0 ? null : times[Math.floor(times.length / 2)],
  };
}

export async function measureInjections({ sets, attacks: count, say, ...pipeline }) {
  const set = await readReasonSet(sets.includes('smoke') ? 'smoke' : 'squad');
  const attacks = await readAttacks({ onlyOwn: set.name === 'smoke' });
  say(`${Math.min(count, attacks.length)} attacks inside documents`);
  return runInjections({ set, attacks: spread(attacks, count), pipeline, onProgress: say });
}
