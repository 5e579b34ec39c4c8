export interface TextRange {
  start: number;
  end: number;
}

/** The range without surrounding white space; null when nothing else is in it. Costs what it cuts. */
export function trimRange(text: string, start: number, end: number): TextRange | null {
  const slice = text.slice(start, end);
  const left = slice.trimStart();
  if (left.length === 0) return null;
  return { start: end - left.length, end: end - (left.length - left.trimEnd().length) };
}
