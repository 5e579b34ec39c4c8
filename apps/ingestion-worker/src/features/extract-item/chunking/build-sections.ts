import { cutText } from '../extracting/cut-text.js';
import type { SourceBlock } from './cover-text.js';

const HEADING_MAX_LENGTH = 200;

/** A heading and what follows up to the next one; sections below it are in the list of their own. */
export interface Section {
  /** Null for what stands before the first heading. */
  headingText: string | null;
  /** Headings from the outermost to its own. */
  path: string[];
  level: number;
  parent: Section | null;
  /** The heading's own text, after those of parents that have no text of their own. */
  lead: SourceBlock[];
  body: SourceBlock[];
}

/**
 * Sections in reading order, parents before their children. A heading right above a deeper one is not a chunk of its
 * own: it leads the deeper section's text.
 */
export function buildSections(units: readonly SourceBlock[], maxSections: number): Section[] {
  let current: Section = { headingText: null, path: [], level: 0, parent: null, lead: [], body: [] };
  const sections = [current];
  for (const unit of units) {
    if (!opensSection(unit) || sections.length > maxSections) {
      current.body.push(unit);
      continue;
    }
    current = openSection(unit, current);
    sections.push(current);
  }
  return sections.filter((section) => section.headingText !== null || section.body.length > 0);
}

function opensSection(unit: SourceBlock): boolean {
  return unit.kind === 'heading' && unit.headingText?.trim() !== '';
}

function openSection(heading: SourceBlock, previous: Section): Section {
  const level = heading.level ?? 1;
  let parent: Section | null = previous;
  while (parent && parent.level >= level) parent = parent.parent;
  const above = parent && parent.headingText !== null ? parent : null;
  const isRightBelow = above === previous && previous.body.length === 0;
  const carried = isRightBelow ? previous.lead.splice(0) : [];
  const headingText = cutText(heading.headingText?.trim() ?? '', HEADING_MAX_LENGTH);
  return {
    headingText,
    path: [...(above?.path ?? []), headingText],
    level,
    parent: above,
    lead: [...carried, heading],
    body: [],
  };
}
