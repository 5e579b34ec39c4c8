import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASETS, ROOT } from './data-sets.mjs';

const DEMO = join(ROOT, 'apps/standalone/demo');
const readLines = async (path) =>
  (await readFile(join(DATASETS, path), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const articleOf = (paragraphId) => paragraphId.slice(0, paragraphId.lastIndexOf('#'));

/**
 * Questions with the subject each is about, and documents by subject: without the documents of its subject, a question
 * is one about something absent. `kind` is `answerable` or why it isn't.
 *
 * @returns {{ documents: { id, title, text, mimeType?, subject }[], questions: { text, kind, subjects: Set, answeredBy? }[] }} `answeredBy` is the id of the one document
 *   that answers, where there is one
 */
export async function readRelevanceSet(name) {
  return name === 'demo' ? readDemo() : name === 'hotpot' ? readHotpot() : readArticles(name);
}

async function readArticles(name) {
  const [, language = ''] = /^xquad-(..)$/.exec(name) ?? [];
  const folder = language === '' ? 'squad2-half' : 'xquad';
  const suffix = language === '' ? '' : `.${language}`;
  const documents = await readLines(`${folder}/corpus${suffix}.jsonl`);
  const questions = await readLines(`${folder}/queries${suffix}.jsonl`);
  return {
    documents: documents.map((document) => ({ ...document, subject: articleOf(document.id) })),
    questions: questions
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, answerable, doc }) => ({
        text,
        kind: answerable ? 'answerable' : 'adversarial',
        subjects: new Set([articleOf(doc)]),
        answeredBy: doc,
      })),
  };
}

/** Each question needs two paragraphs; what stays when both are gone was collected because it looks like them. */
async function readHotpot() {
  const documents = await readLines('hotpotqa-train100/corpus.jsonl');
  const questions = await readLines('hotpotqa-train100/queries.jsonl');
  return {
    documents: documents.map((document) => ({ ...document, subject: document.title })),
    questions: questions.map(({ text, supporting_facts: facts }) => ({
      text,
      kind: 'answerable',
      subjects: new Set(facts.map(([title]) => title)),
    })),
  };
}

async function readDemo() {
  const files = ['notion', 'slack', 'google-drive', 'gmail'];
  const read = async (file) => JSON.parse(await readFile(join(DEMO, `${file}.json`), 'utf8'));
  const documents = (await Promise.all(files.map(read))).flat();
  const questions = await read('questions');
  return {
    documents: documents.map(({ externalId, title, body, mimeType }) => ({
      id: externalId,
      title,
      text: body,
      mimeType,
      subject: externalId,
    })),
    questions: questions.map(({ question, kind, expectItems }) => ({
      text: question,
      kind,
      subjects: new Set(expectItems),
    })),
  };
}
