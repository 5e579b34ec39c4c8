import type { ReasonData, ReasonQuotation } from '@candor/contracts';

export interface CitedPassage {
  /** Position in `citations`, from 1. */
  number: number;
  chunkId: string;
  documentId: string;
  documentTitle: string;
  /** What the statement rests on in this passage, in the source's own words. */
  quotations: ReasonQuotation[];
}

export interface Statement {
  text: string;
  /** In the order in which the statement names them, once each. */
  citations: CitedPassage[];
  /** Whether a quotation says it in other words than the statement itself. */
  isRephrased: boolean;
}

export type ReadAnswer =
  /** `no_evidence`: nothing relevant was found. `no_statement`: nothing that was said could be linked to a source. */
  { kind: 'refused'; reason: 'no_evidence' | 'no_statement' } | { kind: 'answered'; statements: Statement[] };

/** An answer that was asked for with its quotations, statement by statement. */
export function readAnswer({ citations, meta, statements }: ReasonData): ReadAnswer {
  if (statements === undefined) throw new Error('the answer came without its statements');
  if (citations.length === 0)
    return { kind: 'refused', reason: meta.chunksGathered === 0 ? 'no_evidence' : 'no_statement' };
  return {
    kind: 'answered',
    statements: statements.map(({ text, quotations }) => ({
      text,
      isRephrased: quotations.some(({ quotation }) => wordsOf(quotation) !== wordsOf(text)),
      citations: [...new Set(quotations.map(({ chunkId }) => chunkId))].flatMap((chunkId) => {
        const index = citations.findIndex((citation) => citation.chunkId === chunkId);
        const citation = citations[index];
        if (!citation) return [];
        return [{ ...citation, number: index + 1, quotations: quotations.filter((each) => each.chunkId === chunkId) }];
      }),
    })),
  };
}

/** Without its mark-up: a statement is shown plainly where its source may have it in bold. */
function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}
