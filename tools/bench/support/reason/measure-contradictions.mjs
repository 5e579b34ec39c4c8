import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findConflicts } from '@candor/reasoning';
import { DATASETS } from '../data-sets.mjs';

const DEMO = fileURLToPath(new URL('../../../../apps/standalone/demo', import.meta.url));
/** All disagreements that stand in the demo workspace; three of them are settled by what its documents declare. */
const DEMO_DISAGREEMENTS = [
  ['page:api-limits', 'thread:northbrae-api-questions'],
  ['page:roadmap-2026-h2', 'C_MARKETING:1784628300.000100'],
  ['page:pricing-2025', 'page:pricing-2026'],
  ['file:backup-runbook-v1', 'file:backup-runbook-v2'],
  ['page:travel-expenses-2026', 'page:travel-expenses-2027'],
].map((pair) => pair.sort().join(' '));

const source = (id, text) => ({ chunkId: id, documentId: id, text });

/** How many contradictions the rules find, and how many they find where there is none. */
export async function measureContradictions() {
  const lines = (await readFile(join(DATASETS, 'scifact/evidence.train.jsonl'), 'utf8')).trim().split('\n');
  const pairs = lines
    .map((line) => JSON.parse(line))
    .flatMap(({ claim, evidence }) =>
      Object.entries(evidence).flatMap(([documentId, groups]) =>
        groups.map(({ label, text }) => ({ label, claim, documentId, text: text.join(' ') })),
      ),
    );
  const found = ({ claim, documentId, text }) =>
    findConflicts([source('claim', claim), source(documentId, text)]).length > 0;
  const counted = (label) => {
    const labelled = pairs.filter((pair) => pair.label === label);
    return { pairs: labelled.length, found: labelled.filter(found).length };
  };
  return { demo: await measureDemo(), contradicting: counted('CONTRADICT'), supporting: counted('SUPPORT') };
}

/** Every document of the demo workspace with every other one. */
async function measureDemo() {
  const files = ['notion', 'slack', 'google-drive', 'gmail'];
  const texts = await Promise.all(files.map((file) => readFile(join(DEMO, `${file}.json`), 'utf8')));
  const documents = texts.flatMap((text) => JSON.parse(text));
  const conflicts = findConflicts(documents.map(({ externalId, body }) => source(externalId, body)));
  const pairs = new Set(conflicts.map(({ left, right }) => [left.documentId, right.documentId].sort().join(' ')));
  const right = [...pairs].filter((pair) => DEMO_DISAGREEMENTS.includes(pair)).length;
  return { documents: documents.length, there: DEMO_DISAGREEMENTS.length, right, wrong: pairs.size - right };
}
