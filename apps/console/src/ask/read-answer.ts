import type { ReasonData } from '@candor/contracts';
import type { PassageQuotation } from '../items/passage.js';

export interface CitedPassage {
  /** Position in `citations`, from 1. */
  number: number;
  chunkId: string;
  documentId: string;
  documentTitle: string;
  /** What the statement rests on in this passage, in the source's own words; none = all of it is withheld. */
  quotations: PassageQuotation[];
}

export interface Statement {
  text: string;
  /** In the order in which the statement names them, once each. */
  citations: CitedPassage[];
  /** Whether a quotation says it in other words than the statement itself. */
  isRephrased: boolean;
  /** Quotations whose source went away, or was taken from this key, while the answer was being made. */
  withheld: number;
}

export type ReadAnswer =
  /** `no_evidence`: nothing relevant was found. `no_statement`: nothing that was said could be linked to a source. */
  { kind: 'refused'; reason: 'no_evidence' | 'no_statement' } | { kind: 'answered'; statements: Statement[] };

export type AnswerWithStatements = ReasonData & Required<Pick<ReasonData, 'statements'>>;

/** @throws when the statements are missing, so that it is told as a failure and not shown as an answer without proof. */
export function requireStatements(data: ReasonData): AnswerWithStatements {
  const { statements } = data;
  if (statements === undefined) throw new Error('The answer came without its statements.');
  return { ...data, statements };
}

/** An answer that was asked for with its quotations, statement by statement. */
export function readAnswer({ citations, meta, statements }: AnswerWithStatements): ReadAnswer {
  if (citations.length === 0)
    return { kind: 'refused', reason: meta.chunksGathered === 0 ? 'no_evidence' : 'no_statement' };
  return {
    kind: 'answered',
    statements: statements.map(({ text, quotations }) => ({
      text,
      isRephrased: quotations.some(({ quotation }) => quotation !== null && wordsOf(quotation) !== wordsOf(text)),
      withheld: quotations.filter(({ quotation }) => quotation === null).length,
      citations: [...new Set(quotations.map(({ chunkId }) => chunkId))].flatMap((chunkId) => {
        const index = citations.findIndex((citation) => citation.chunkId === chunkId);
        const citation = citations[index];
        if (!citation) return [];
        const quoted = quotations.flatMap(({ quotation, place, ...each }) =>
          quotation !== null && each.chunkId === chunkId ? [{ quotation, place }] : [],
        );
        return [{ ...citation, number: index + 1, quotations: quoted }];
      }),
    })),
  };
}

/** Without its mark-up: a statement is shown plainly where its source may have it in bold. */
function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}
