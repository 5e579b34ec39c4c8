export interface NormalizedCitations {
  citations: string[];
  /** Something was changed. */
  normalized: boolean;
}

/** Takes brackets and blanks from around an id and keeps each id once. Nothing looser: an id is never guessed or completed. */
export function normalizeCitations(citations: readonly string[]): NormalizedCitations {
  const normalized = [...new Set(citations.map(normalizeCitation))];
  return {
    citations: normalized,
    normalized:
      normalized.length !== citations.length || normalized.some((citation, index) => citation !== citations[index]),
  };
}

function normalizeCitation(citation: string): string {
  const trimmed = citation.trim();
  const bracketed = /^\[{1,2}([^[\]]*)\]{1,2}$/.exec(trimmed);
  return (bracketed?.[1] ?? trimmed).trim();
}
