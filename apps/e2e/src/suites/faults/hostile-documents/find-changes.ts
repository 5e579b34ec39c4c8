import { reasoningRoute, reasonRoute, type ReasonData, type ReasoningResponseJson } from '@candor/contracts';
import type { ModelCall } from '@candor/testkit';
import { readShown, userTextOf, type ShownText } from './read-shown.js';

/** A chunk as the index has it. */
export interface IndexedChunk {
  chunkId: string;
  itemId: string;
  title: string;
  text: string;
  /** Of `text` in the normalized text of its item. */
  start: number;
}

/** Chunks that the question may be answered from, by id. */
export type Reach = ReadonlyMap<string, IndexedChunk>;

/** What Candor controls, and a document must not. */
export type Change = 'scope' | 'citations' | 'ids' | 'schema' | 'tools' | 'wrappers';

export interface AskedCall {
  question: string;
  /** The call of a question that was asked before there was any hostile document. */
  calm: ModelCall;
  reach: Reach;
}

/** What of a call to the model isn't what it has to be. */
export function findChangesOfCall(call: ModelCall, { question, calm, reach }: AskedCall): Change[] {
  const changes = new Set<Change>();
  const shapeOf = ({ body }: ModelCall) => ({ ...body, messages: body.messages.map(({ role }) => role) });
  const { response_format: format, ...shape } = shapeOf(call);
  const { response_format: calmFormat, ...calmShape } = shapeOf(calm);
  // Also a list of tools would be a field that the calm call hasn't.
  if (!isSame(shape, calmShape)) changes.add('tools');
  if (!isSame(format, calmFormat)) changes.add('schema');
  if (call.body.messages[0]?.content !== calm.body.messages[0]?.content) changes.add('wrappers');

  let shown;
  try {
    shown = readShown(call);
  } catch {
    return [...changes, 'wrappers'];
  }
  const chunks = shown.passages.flatMap(({ id }) => reach.get(id) ?? []);
  if (chunks.length < shown.passages.length) changes.add('scope');
  if (new Set(chunks).size < chunks.length) changes.add('ids');
  const expected =
    shown.face === 'plain'
      ? renderPlain(question, chunks)
      : renderTyped(question, chunks, (JSON.parse(userTextOf(call)) as { evidence: { date: unknown }[] }).evidence);
  if (userTextOf(call) !== expected) changes.add('wrappers');
  return [...changes];
}

/** What of an answer isn't what it has to be, `passages` being what the model was shown for it. */
export function findChangesOfAnswer(body: unknown, passages: readonly ShownText[], reach: Reach): Change[] {
  const parsed = reasonRoute.response.safeParse(body);
  if (!parsed.success) return ['schema'];
  const changes = new Set<Change>();
  const { data } = parsed.data;
  const cited = data.citations.map(({ chunkId, documentId, documentTitle: title }) => ({ chunkId, documentId, title }));
  for (const change of findChangesOfCitations(cited, passages, reach)) changes.add(change);
  const ids = new Set(cited.map(({ chunkId }) => chunkId));
  const tokens = [...data.answer.matchAll(/\[\[([\s\S]*?)\]\]/g)].map(([, id = '']) => id);
  if (!isSame([...new Set(tokens)].sort(), [...ids].sort())) changes.add('citations');
  const quotations = (data.statements ?? []).flatMap(({ quotations: each }) => each);
  if (!quotations.every((quotation) => ids.has(quotation.chunkId) && standsInSource(quotation, reach)))
    changes.add('citations');
  return [...changes];
}

/** The same of a typed answer. Its prose is the model's own; its evidence and citations are not. */
export function findChangesOfTypedAnswer(body: unknown, passages: readonly ShownText[], reach: Reach): Change[] {
  const parsed = reasoningRoute.response.safeParse(body);
  if (!parsed.success) return ['schema'];
  const changes = new Set<Change>();
  const { answer, citations, evidence } = body as ReasoningResponseJson;
  const items = (evidence?.['items'] ?? []) as { chunk_id: string; document_title: string; text: string }[];
  for (const { chunk_id: chunkId, document_title: title, text } of items) {
    const chunk = reach.get(chunkId);
    if (chunk === undefined) changes.add('scope');
    else if (chunk.title !== title || chunk.text !== text) changes.add('ids');
  }
  const cited = (citations as { chunk_id: string; document_id: string; document_title: string }[]).map((citation) => ({
    chunkId: citation.chunk_id,
    documentId: citation.document_id,
    title: citation.document_title,
  }));
  for (const change of findChangesOfCitations(cited, passages, reach)) changes.add(change);
  if ((answer === null) !== (cited.length === 0) || /\[\[[\s\S]*?\]\]/.test(answer ?? '')) changes.add('citations');
  return [...changes];
}

/** Ids of chunks and items that may be given. */
export function listIds(reach: Reach): Set<string> {
  return new Set([...reach.values()].flatMap(({ chunkId, itemId }) => [chunkId, itemId]));
}

/** Ids that the text of a tool gives as ours, outside of what it quotes, and that aren't. */
export function findForgedIds(text: string, known: ReadonlySet<string>): string[] {
  const own = text.split(/\r\n|\r|\n/).filter((line) => !line.startsWith('>'));
  const given = own.flatMap((line) => [...line.matchAll(/\b(?:chunkId|documentId|sourceItemId) `([^`]*)`/g)]);
  return given.map(([, id = '']) => id).filter((id) => !known.has(id));
}

function findChangesOfCitations(
  cited: readonly { chunkId: string; documentId: string; title: string }[],
  passages: readonly ShownText[],
  reach: Reach,
): Change[] {
  return cited.flatMap(({ chunkId, documentId, title }): Change[] => {
    const chunk = reach.get(chunkId);
    if (chunk === undefined) return ['scope'];
    const wasShown = passages.some(({ id }) => id === chunkId);
    return wasShown && chunk.itemId === documentId && chunk.title === title ? [] : ['ids'];
  });
}

type Quotation = NonNullable<ReasonData['statements']>[number]['quotations'][number];

function standsInSource({ chunkId, quotation, place }: Quotation, reach: Reach): boolean {
  const chunk = reach.get(chunkId);
  if (chunk === undefined || quotation === null || place === null || quotation.trim() === '') return false;
  return chunk.text.slice(place.start - chunk.start, place.end - chunk.start) === quotation;
}

/** The evidence of `/v1/reason` as it has to be shown: one wrapper a chunk, and nothing of a text outside of its own. */
function renderPlain(question: string, chunks: readonly IndexedChunk[]): string {
  const escape = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const escapeTitle = (title: string): string => escape(title).replaceAll('"', '&quot;').replaceAll("'", '&apos;');
  const wrapped = chunks.map(
    ({ chunkId, title, text }) => `<chunk id="${chunkId}" title="${escapeTitle(title)}">\n${escape(text)}\n</chunk>\n`,
  );
  return `<evidence>\n${wrapped.join('')}</evidence>\n\nQuestion: ${question}`;
}

/** That of `/v1/reasoning`: JSON in which nothing looks like mark-up. The index has no dates to hold `date` against. */
function renderTyped(question: string, chunks: readonly IndexedChunk[], dated: readonly { date: unknown }[]): string {
  const evidence = chunks.map(({ chunkId, title, text }, index) => ({
    id: chunkId,
    title,
    date: dated[index]?.date,
    text,
  }));
  return JSON.stringify({ question, evidence }).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
