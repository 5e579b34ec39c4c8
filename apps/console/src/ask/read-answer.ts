import type { ReasonData } from '@candor/contracts';

export interface Statement {
  text: string;
  /** Positions in `citations`, from 1, in the order in which the statement names them. */
  citations: { number: number; chunkId: string }[];
}

export type ReadAnswer =
  /** `no_evidence`: nothing relevant was found. `no_statement`: nothing that was said could be linked to a source. */
  { kind: 'refused'; reason: 'no_evidence' | 'no_statement' } | { kind: 'answered'; statements: Statement[] };

const TOKEN = /\[\[([0-9a-f-]{36})\]\]/gi;

/** Takes the answer's prose apart: a paragraph is a statement, the `[[chunkId]]` tokens at its end are its citations. */
export function readAnswer({ answer, citations, meta }: ReasonData): ReadAnswer {
  if (citations.length === 0)
    return { kind: 'refused', reason: meta.chunksGathered === 0 ? 'no_evidence' : 'no_statement' };
  const numbers = new Map(citations.map(({ chunkId }, index) => [chunkId, index + 1]));
  const statements = answer
    .split(/\n{2,}/)
    .map((paragraph) => ({
      text: paragraph.replace(TOKEN, '').trim(),
      citations: [...paragraph.matchAll(TOKEN)].flatMap(([, chunkId = '']) => {
        const number = numbers.get(chunkId);
        return number === undefined ? [] : [{ number, chunkId }];
      }),
    }))
    .filter(({ text }) => text !== '');
  return { kind: 'answered', statements: joinUncited(statements) };
}

/** A statement may hold blank lines of its own: what has no citation belongs to the next one that has. */
function joinUncited(statements: readonly Statement[]): Statement[] {
  const joined: Statement[] = [];
  let before = '';
  for (const { text, citations } of statements) {
    const whole = before === '' ? text : `${before}\n\n${text}`;
    if (citations.length === 0) before = whole;
    else {
      joined.push({ text: whole, citations });
      before = '';
    }
  }
  return before === '' ? joined : [...joined, { text: before, citations: [] }];
}
