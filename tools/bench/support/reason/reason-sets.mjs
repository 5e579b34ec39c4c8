import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { DATASETS } from '../data-sets.mjs';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const articleOf = (paragraphId) => paragraphId.slice(0, paragraphId.lastIndexOf('#'));

async function readLines(folder, path) {
  const text = await readFile(join(folder, path), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/**
 * Questions with what a right answer must hold.
 *
 * @returns {{ name, title, documents: { id, title, text, subject }[], answerable: Question[], adversarial: Question[] }}
 *   where a Question is `{ text, subjects: Set, answers: string[], spans: { documentId, start, end }[] }`: `answers` are texts
 *   of which one must occur, `spans` where the answer stands (several for what needs several sentences, or was marked by
 *   several people); `subjects` are left out of the corpus to make it unanswerable.
 */
export async function readReasonSet(name) {
  if (name === 'squad') return readSquad();
  if (name === 'hotpot') return readHotpot();
  return readSmoke();
}

async function readSquad() {
  const documents = await readLines(DATASETS, 'squad2-half/corpus.jsonl');
  const questions = await readLines(DATASETS, 'squad2-half/queries.jsonl');
  const all = questions
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, answerable, answers = [], doc }) => ({
      text,
      answerable,
      subjects: new Set([articleOf(doc)]),
      answers: answers.map((answer) => answer.text),
      spans: answers.map((answer) => ({
        documentId: doc,
        start: answer.answer_start,
        end: answer.answer_start + answer.text.length,
      })),
    }));
  return {
    name: 'squad',
    title: 'SQuAD 2.0',
    documents: documents.map((document) => ({ ...document, subject: articleOf(document.id) })),
    answerable: all.filter(({ answerable }) => answerable),
    adversarial: all.filter(({ answerable }) => !answerable),
  };
}

async function readHotpot() {
  const documents = await readLines(DATASETS, 'hotpotqa-train100/corpus.jsonl');
  const questions = await readLines(DATASETS, 'hotpotqa-train100/queries.jsonl');
  const byTitle = new Map(documents.map((document) => [document.title, document]));
  return {
    name: 'hotpot',
    title: 'HotpotQA',
    documents: documents.map((document) => ({ ...document, subject: document.title })),
    answerable: questions.map(({ text, answer, supporting_facts: facts }) => ({
      text,
      subjects: new Set(facts.map(([title]) => title)),
      // "yes" stands in no source: such a question has no answer text to look for.
      answers: /^(?:yes|no)$/i.test(answer) ? [] : [answer],
      spans: facts.flatMap(([title, place]) => spanOfSentence(byTitle.get(title), place)),
    })),
    adversarial: [],
  };
}

function spanOfSentence(document, place) {
  const sentence = document?.sentences[place]?.trim();
  const start = sentence ? document.text.indexOf(sentence) : -1;
  return start < 0 ? [] : [{ documentId: document.id, start, end: start + sentence.length }];
}

/** Written for this project: shows that the benchmark runs, and nothing else. */
async function readSmoke() {
  const documents = await readLines(FIXTURES, 'corpus.jsonl');
  const questions = await readLines(FIXTURES, 'reason-questions.jsonl');
  const all = questions.map(({ text, document, answer }) => {
    const start = answer === null ? -1 : documents.find(({ id }) => id === document).text.indexOf(answer);
    if (answer !== null && start < 0) throw new Error(`${document} doesn't hold "${answer}"`);
    const spans = answer === null ? [] : [{ documentId: document, start, end: start + answer.length }];
    return { text, subjects: new Set([document]), answers: answer === null ? [] : [answer], spans };
  });
  return {
    name: 'smoke',
    title: 'Smoke',
    documents: documents.map((document) => ({ ...document, subject: document.id })),
    answerable: all.filter(({ spans }) => spans.length > 0),
    adversarial: all.filter(({ spans }) => spans.length === 0),
  };
}
