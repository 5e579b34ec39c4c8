import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sourceItemRoute, type IngestDocument, type SourceItem } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';

export interface DemoQuestion {
  question: string;
  kind: 'answerable' | 'unanswerable' | 'contradiction' | 'superseded' | 'private';
  /** External ids. */
  expectItems: string[];
  expectText?: string[];
}

const FOLDER = fileURLToPath(new URL('../../../standalone/demo/', import.meta.url));

export async function readDemoQuestions(kind: DemoQuestion['kind']): Promise<DemoQuestion[]> {
  const questions = JSON.parse(await readFile(`${FOLDER}questions.json`, 'utf8')) as DemoQuestion[];
  return questions.filter((question) => question.kind === kind);
}

export async function readDemoDocuments(): Promise<IngestDocument[]> {
  const files = ['notion', 'slack', 'google-drive', 'gmail'];
  const lists = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(`${FOLDER}${file}.json`, 'utf8')) as IngestDocument[]),
  );
  return lists.flat();
}

/** The external ids of items, in the same order. */
export async function externalIdsOf(client: ApiClient, itemIds: readonly string[]): Promise<string[]> {
  const items: SourceItem[] = await Promise.all(itemIds.map((id) => client.call(sourceItemRoute, { params: { id } })));
  return items.map((item) => item.externalId);
}
