import type { Level } from '@candor/contracts';
import { v5 as uuidv5 } from 'uuid';
import { buildSections, type Section } from './chunking/build-sections.js';
import { DEFAULT_CHUNK_LIMITS, type ChunkLimits } from './chunking/chunk-limits.js';
import { coverText, type SourceBlock } from './chunking/cover-text.js';
import { packPieces } from './chunking/pack-pieces.js';
import { splitUnits, type CountTokens, type Piece } from './chunking/split-units.js';

export { chunkLimitsFor, DEFAULT_CHUNK_LIMITS, type ChunkLimits } from './chunking/chunk-limits.js';

/** Part of the pipeline fingerprint and of every chunk id: raise it with every change of the chunks that come out. */
export const CHUNKER_VERSION = '1';

const CHUNK_NAMESPACE = '5f1d2c86-9a53-5e0b-8c1d-3f6b7a94e201';

export interface ChunkInput {
  itemId: string;
  version: number;
  title: string;
  /** Normalized text and its blocks, from `extractText`. */
  text: string;
  blocks: readonly SourceBlock[];
  /** The embedding model's own count or an estimate; called on pieces of the text, over its length a few times in all. */
  countTokens: CountTokens;
  limits?: Partial<ChunkLimits>;
  /** Tells the chunks of generations apart that cut the same text differently; part of every chunk id. Default ''. */
  chunking?: string;
}

/** One node of the tree document › section › paragraph. `text.slice(start, end)` is its content, exactly. */
export interface ChunkNode {
  /** UUIDv5 of (item, version, chunker version and chunking, ordinal). */
  chunkId: string;
  level: Level;
  /** 0-based, in reading order among all nodes of the version; 0 is the document. */
  ordinal: number;
  parentId: string | null;
  /** Neighbours on the same level, in reading order, across sections. */
  previousId: string | null;
  nextId: string | null;
  start: number;
  end: number;
  /** Headings from the outermost to the one it stands under (a section: to its own). */
  sectionPath: string[];
  /** The innermost of them. */
  headingText: string | null;
  /**
   * Every paragraph is indexed, and so is a section of several paragraphs that is short enough to be embedded whole.
   * The document never is, so a text of one paragraph is indexed once and not at three levels. The others are nodes
   * for navigation.
   */
  indexed: boolean;
}

type Draft = Omit<ChunkNode, 'chunkId' | 'parentId' | 'previousId' | 'nextId' | 'ordinal'> & { parent: Draft | null };

/** Cuts a document into its tree. Every visible character lies in exactly one paragraph; a text without any gives []. */
export function chunkDocument(input: ChunkInput): ChunkNode[] {
  const { text } = input;
  const limits = { ...DEFAULT_CHUNK_LIMITS, ...input.limits };
  const sections = buildSections(coverText(text, input.blocks), limits.maxSections);
  const paragraphs = new Map(
    sections.map((section) => [section, findParagraphChunks(text, section, limits, input.countTokens)]),
  );
  return identify(draftNodes(sections, paragraphs, limits), input);
}

function findParagraphChunks(text: string, section: Section, limits: ChunkLimits, countTokens: CountTokens): Piece[] {
  const lead = splitUnits(text, section.lead, limits.maxTokens, countTokens);
  // Headings, the room they leave to the text, and a token for every gap between them.
  const leadTokens = lead.reduce((sum, piece) => sum + piece.tokens + 1, 0);
  const isShortLead = leadTokens <= limits.maxTokens / 2;
  const bodyLimit = isShortLead ? limits.maxTokens - leadTokens : limits.maxTokens;
  const body = splitUnits(text, section.body, bodyLimit, countTokens);
  return packPieces([...lead, ...body], isShortLead ? lead.length : 0, limits);
}

function draftNodes(
  sections: readonly Section[],
  paragraphs: ReadonlyMap<Section, Piece[]>,
  limits: ChunkLimits,
): Draft[] {
  const extents = measureSections(sections, paragraphs);
  const everything = [...paragraphs.values()].flat();
  const [first, last] = [everything[0], everything.at(-1)];
  if (!first || !last) return [];
  const document: Draft = {
    level: 'document',
    parent: null,
    start: first.start,
    end: last.end,
    sectionPath: [],
    headingText: null,
    indexed: false,
  };
  const drafts = [document];
  const nodes = new Map<Section, Draft>();
  for (const section of sections) {
    let parent = document;
    const extent = extents.get(section);
    if (section.headingText !== null && extent) {
      parent = {
        level: 'section',
        parent: (section.parent && nodes.get(section.parent)) ?? document,
        start: extent.start,
        end: extent.end,
        sectionPath: section.path,
        headingText: section.headingText,
        indexed:
          extent.paragraphs > extent.mostOfOneChild && extent.paragraphs > 1 && extent.tokens <= limits.sectionTokens,
      };
      nodes.set(section, parent);
      drafts.push(parent);
    }
    for (const { start, end } of paragraphs.get(section) ?? []) {
      const { path: sectionPath, headingText } = section;
      drafts.push({ level: 'paragraph', parent, start, end, sectionPath, headingText, indexed: true });
    }
  }
  return drafts;
}

interface Extent extends Piece {
  paragraphs: number;
  /** A section that only wraps one other would be indexed twice. */
  mostOfOneChild: number;
}

/** What each section holds, its subsections included. */
function measureSections(
  sections: readonly Section[],
  paragraphs: ReadonlyMap<Section, Piece[]>,
): Map<Section, Extent> {
  const extents = new Map<Section, Extent>();
  const grow = (section: Section, part: Piece, count: number, ofChild: number): void => {
    const extent = extents.get(section) ?? { start: Infinity, end: 0, tokens: 0, paragraphs: 0, mostOfOneChild: 0 };
    extents.set(section, {
      start: Math.min(extent.start, part.start),
      end: Math.max(extent.end, part.end),
      tokens: extent.tokens + part.tokens,
      paragraphs: extent.paragraphs + count,
      mostOfOneChild: Math.max(extent.mostOfOneChild, ofChild),
    });
  };
  for (const section of sections.toReversed()) {
    for (const paragraph of paragraphs.get(section) ?? []) grow(section, paragraph, 1, 0);
    const extent = extents.get(section);
    if (section.parent && extent) grow(section.parent, extent, extent.paragraphs, extent.paragraphs);
  }
  return extents;
}

function identify(drafts: readonly Draft[], { itemId, version, chunking = '' }: ChunkInput): ChunkNode[] {
  const chunker = chunking === '' ? CHUNKER_VERSION : `${CHUNKER_VERSION}/${chunking}`;
  const ids = new Map(
    drafts.map((draft, ordinal) => [draft, uuidv5(`${itemId}:${version}:${chunker}:${ordinal}`, CHUNK_NAMESPACE)]),
  );
  const nodes = drafts.map(({ parent, ...draft }, ordinal): ChunkNode => {
    const parentId = (parent && ids.get(parent)) ?? null;
    return { chunkId: ids.get(drafts[ordinal]!) ?? '', ...draft, ordinal, parentId, previousId: null, nextId: null };
  });
  const latest = new Map<Level, ChunkNode>();
  for (const node of nodes) {
    const previous = latest.get(node.level);
    if (previous) {
      previous.nextId = node.chunkId;
      node.previousId = previous.chunkId;
    }
    latest.set(node.level, node);
  }
  return nodes;
}
