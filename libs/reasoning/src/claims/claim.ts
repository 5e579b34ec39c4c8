import type { ProposalKind } from '../proposals/inference-proposal.js';

/** A value as a sentence states it. Two values conflict only within one dimension. */
export interface StatedValue {
  kind: ProposalKind;
  /** What is measured or said: `date`, `money:EUR`, `seconds`, `request`, `status:3`… */
  dimension: string;
  /** Comparable form, e.g. `2026-09-15`, `86400`, `approved`. */
  normalized: string;
  /** As written. */
  value: string;
  /** UTF-16 offsets in the clause. */
  start: number;
  end: number;
}

/** One value and what it is said of. */
export interface Claim {
  chunkId: string;
  documentId: string;
  kind: ProposalKind;
  dimension: string;
  normalized: string;
  value: string;
  /** The sentence as it stands in the passage. */
  quotation: string;
  /** The words of the subject, as written. */
  subject: string;
  /** Stems of the subject. */
  words: ReadonlySet<string>;
  /** Words of the subject that name something: capitalized inside the sentence, or with a digit. */
  names: ReadonlySet<string>;
}

/** What claims are read from. */
export interface ClaimSource {
  chunkId: string;
  documentId: string;
  text: string;
}
