import type { Passage } from '@candor/contracts';
import type { TokenCounter } from './count-tokens.js';
import { cutAtWordBoundary } from './cut-at-word-boundary.js';
import { escapeXmlAttribute, escapeXmlText } from './escape-xml.js';

/** What of a passage may enter a packet; the score is left out by type (seed 000). */
export type EvidencePassage = Pick<Passage, 'chunkId' | 'documentId' | 'documentTitle' | 'content'>;

export interface AdmittedChunk {
  chunkId: string;
  documentId: string;
  documentTitle: string;
  /** Raw text as shown, after the cut. Nothing else of the chunk can be quoted. */
  content: string;
  /** The chunk goes on after `content`. */
  truncated: boolean;
}

export interface EvidencePacket {
  /** What the answer provider sees; empty when nothing is admitted. */
  text: string;
  /** In the order of retrieval. */
  admitted: AdmittedChunk[];
  /** Tokens of `text`, wrappers and titles included. */
  tokens: number;
  /** Passages left out, by what left them out. */
  excluded: { byLimit: number; byTokens: number };
}

const HEAD = '<evidence>\n';
const TAIL = '</evidence>';

/** No tokenizer spends fewer tokens than this on ordinary prose; keeps the work bounded when a chunk is a whole book. */
const MOST_CHARACTERS_PER_TOKEN = 32;

/**
 * Packs passages, in order, into one XML text of at most `maxTokens` tokens (seed 000, "Know the execution boundaries").
 * A passage that doesn't fit is cut at a word boundary and then ends the packet; one of which nothing fits is left out.
 */
export function buildEvidencePacket(input: {
  passages: readonly EvidencePassage[];
  /** Most chunks. */
  limit: number;
  maxTokens: number;
  countTokens: TokenCounter;
}): EvidencePacket {
  const { passages, limit, maxTokens, countTokens } = input;
  const candidates = passages.slice(0, limit);
  const admitted: AdmittedChunk[] = [];
  let remaining = maxTokens - countTokens(HEAD) - countTokens(TAIL);

  for (const passage of candidates) {
    if (remaining <= 0) break;
    const fitting = fitPassage(passage, remaining, countTokens);
    if (fitting === null) continue;
    admitted.push(fitting.chunk);
    remaining -= fitting.tokens;
    if (fitting.chunk.truncated) break;
  }

  // Token counts needn't add up exactly; the whole text decides.
  let packet = renderPacket(admitted);
  let tokens = countTokens(packet);
  while (admitted.length > 0 && tokens > maxTokens) {
    admitted.pop();
    packet = renderPacket(admitted);
    tokens = countTokens(packet);
  }
  return {
    text: packet,
    admitted,
    tokens: admitted.length === 0 ? 0 : tokens,
    excluded: { byLimit: passages.length - candidates.length, byTokens: candidates.length - admitted.length },
  };
}

function fitPassage(
  passage: EvidencePassage,
  budget: number,
  countTokens: TokenCounter,
): { chunk: AdmittedChunk; tokens: number } | null {
  const longest = budget * MOST_CHARACTERS_PER_TOKEN;
  const whole = toChunk(passage, passage.content);
  if (passage.content.length <= longest) {
    const tokens = countTokens(renderChunk(whole));
    if (tokens <= budget) return passage.content.trim() === '' ? null : { chunk: whole, tokens };
  }
  const content = cutAtWordBoundary(
    passage.content.slice(0, longest),
    (prefix) => countTokens(renderChunk(toChunk(passage, prefix))) <= budget,
  );
  if (content === null) return null;
  const chunk = toChunk(passage, content);
  return { chunk, tokens: countTokens(renderChunk(chunk)) };
}

function toChunk(passage: EvidencePassage, content: string): AdmittedChunk {
  return {
    chunkId: passage.chunkId,
    documentId: passage.documentId,
    documentTitle: passage.documentTitle,
    content,
    truncated: content.length < passage.content.length,
  };
}

function renderPacket(chunks: readonly AdmittedChunk[]): string {
  return chunks.length === 0 ? '' : `${HEAD}${chunks.map(renderChunk).join('')}${TAIL}`;
}

function renderChunk(chunk: AdmittedChunk): string {
  const id = escapeXmlAttribute(chunk.chunkId);
  const title = escapeXmlAttribute(chunk.documentTitle);
  return `<chunk id="${id}" title="${title}">\n${escapeXmlText(chunk.content)}\n</chunk>\n`;
}
