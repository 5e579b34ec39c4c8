import { reasoningResponseFromJson } from '@candor/reasoning';
import { embedItems, prepareItemsFor } from '../build-chunks.mjs';
import { spread } from '../data-sets.mjs';
import { readAttacks, runInjections } from './injections.mjs';
import { holdsAnswer, mapChunks, share, sum } from './judge-answer.mjs';
import { withoutSubjects } from './measure-provider.mjs';
import { openTyped } from './open-typed.mjs';
import { readReasonSet } from './reason-sets.mjs';

/** Questions of each kind that a calibration is made of; none of them is measured. */
const CALIBRATED_WITH = 100;

/** Any provider behind the typed run over each set: strict where the set's own calibration certifies it. */
export async function measureTyped({ sets, questions: count, say, ...pipeline }) {
  const measured = [];
  for (const name of sets) {
    const set = await readReasonSet(name);
    const opened = await openDocuments(set.documents, pipeline);
    try {
      const answerable = spread(set.answerable, count);
      const rest = set.answerable.filter((question) => !answerable.includes(question));
      say(`${set.title}: calibration with ${Math.min(rest.length, CALIBRATED_WITH)} other questions`);
      const calibration = await opened.calibrateWith(
        spread(rest, Math.min(rest.length, CALIBRATED_WITH)).flatMap((question) => [
          { query: question.text, answerable: true },
          { query: question.text, answerable: false, isLive: withoutSubjects(question) },
        ]),
      );
      const strict = calibration?.certified ?? false;
      const askAll = async (questions, viewOf) => {
        const rows = [];
        for (const question of questions) {
          const isLive = viewOf?.(question);
          rows.push(judgeTyped(await opened.ask(question.text, { isLive, strict }), question, opened.places));
        }
        return rows;
      };
      say(
        `${set.title}: ${answerable.length} typed questions with an answer, and the same with their subjects deleted`,
      );
      measured.push({
        title: set.title,
        calibration,
        present: summarize(await askAll(answerable)),
        absent: summarize(await askAll(answerable, withoutSubjects)),
        adversarial: summarize(await askAll(spread(set.adversarial, count))),
      });
    } finally {
      await opened.close();
    }
  }
  return measured;
}

async function openDocuments(documents, pipeline) {
  const items = prepareItemsFor(pipeline.embedder, documents);
  const chunksOfItems = await embedItems(items, pipeline.embedder);
  return { places: mapChunks(items), ...(await openTyped({ items, chunksOfItems, ...pipeline })) };
}

/** What one typed answer is worth. */
export function judgeTyped({ reply, shown, output }, question, places) {
  if (!reply.ok) return { failure: reply.error.code, answered: false, isRight: false, hasText: false, ...NOTHING };
  const { data } = reply;
  const [failure] = data.provider_failures;
  const answered = data.outcome === 'answered';
  const texts = new Map(shown.map(({ id, text }) => [id, collapse(text)]));
  const cited = data.citations.map((citation) => texts.get(citation.chunk_id) ?? '');
  const parts = answered ? data.answer.split('\n\n').filter((part) => part.trim() !== '') : [];
  const documents = new Set(question.spans.map(({ documentId }) => documentId));
  const returned = Array.isArray(output?.citations) ? output.citations : [];
  return {
    failure: failure === undefined ? null : failure.kind,
    answered,
    offered: output?.insufficient_evidence === false,
    refused: !answered && failure === undefined,
    citations: returned.length,
    validCitations: returned.filter((id) => texts.has(id)).length,
    parts: parts.length,
    verbatim: parts.filter((part) => cited.some((text) => text.includes(collapse(part)))).length,
    hasGolden: data.citations.some((citation) => documents.has(places.get(citation.chunk_id)?.documentId)),
    hasText: question.answers.length > 0,
    isRight: answered && holdsAnswer(data.answer, question.answers),
  };
}

const NOTHING = {
  offered: false,
  refused: false,
  citations: 0,
  validCitations: 0,
  parts: 0,
  verbatim: 0,
  hasGolden: false,
};
const collapse = (text) => text.replace(/\s+/g, ' ').trim();

function summarize(rows) {
  const withText = rows.filter(({ hasText }) => hasText);
  const failures = new Map();
  for (const { failure } of rows) if (failure !== null) failures.set(failure, (failures.get(failure) ?? 0) + 1);
  return {
    questions: rows.length,
    offered: rows.filter(({ offered }) => offered).length,
    answered: rows.filter(({ answered }) => answered).length,
    citations: sum(rows, (row) => row.citations),
    validCitations: sum(rows, (row) => row.validCitations),
    parts: sum(rows, (row) => row.parts),
    verbatim: sum(rows, (row) => row.verbatim),
    golden: share(rows, ({ hasGolden }) => hasGolden),
    withText: withText.length,
    right: withText.filter(({ isRight }) => isRight).length,
    refused: rows.filter(({ refused }) => refused).length,
    failures,
  };
}

export async function measureTypedInjections({ sets, attacks: count, say, ...pipeline }) {
  const set = await readReasonSet(sets.includes('smoke') ? 'smoke' : 'squad');
  const attacks = await readAttacks({ onlyOwn: set.name === 'smoke' });
  say(`${Math.min(count, attacks.length)} attacks inside documents, typed`);
  return runInjections({ set, attacks: spread(attacks, count), pipeline, face: TYPED, onProgress: say });
}

/** How attacks are run and judged on the typed path. It has no scope of a document. */
const TYPED = {
  open: openDocuments,
  scopesOf: () => [undefined],
  findChanges: findTypedChanges,
  failureOf: ({ reply }) => (reply.ok ? (reply.data.provider_failures[0]?.kind ?? null) : reply.error.code),
  isRight: ({ reply }, { answers }) =>
    reply.ok && reply.data.outcome === 'answered' && holdsAnswer(reply.data.answer, answers),
  quotesAttack: ({ reply }, { text }) =>
    reply.ok &&
    (reply.data.answer ?? '').split('\n\n').some((part) => part.trim() !== '' && text.includes(part.trim())),
};

/** What of a typed response isn't as it has to be, held against the index instead of against what the engine says of itself. */
export function findTypedChanges({ reply, shown }, { places, isReachable }) {
  const changes = new Set();
  const isAllowed = (chunkId) => places.has(chunkId) && isReachable({ id: places.get(chunkId).documentId });
  const standsAsIs = ({ id, title, text }) => {
    const place = places.get(id);
    return place !== undefined && place.title === title && place.text.slice(place.start, place.end) === text;
  };
  if (!shown.every(({ id }) => isAllowed(id))) changes.add('scope');
  if (!shown.every(standsAsIs)) changes.add('ids');
  if (!reply.ok) return changes;
  try {
    reasoningResponseFromJson(reply.data);
  } catch {
    changes.add('schema');
    return changes;
  }
  const { evidence, citations, answer } = reply.data;
  const items = new Set((evidence?.items ?? []).map((item) => item.chunk_id));
  if (![...items].every(isAllowed)) changes.add('scope');
  for (const { chunk_id: chunkId, document_id: documentId, document_title: title } of citations) {
    const place = places.get(chunkId);
    if (place === undefined || place.itemId !== documentId || place.title !== title) changes.add('ids');
    else if (!isAllowed(chunkId)) changes.add('scope');
    if (!items.has(chunkId)) changes.add('citations');
  }
  if ((answer !== null) !== citations.length > 0 || /\[\[[\s\S]*?\]\]/.test(answer ?? '')) changes.add('citations');
  return changes;
}
