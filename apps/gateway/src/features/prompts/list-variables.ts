import type { PromptVariable } from '@candor/contracts';

const NAME = '[\\p{L}_][\\p{L}\\p{N}_.-]{0,99}';
/** `${name}`, as seed 000's client writes them, and `{{ name }}`, as most others do. */
const PLACEHOLDER = new RegExp(`\\$\\{\\s*(${NAME})\\s*\\}|\\{\\{\\s*(${NAME})\\s*\\}\\}`, 'gu');

/** The declared variables, then those that only the content names, in the order in which it does, each once. */
export function listVariables(declared: readonly PromptVariable[], content: string): PromptVariable[] {
  const names = new Set(declared.map(({ name }) => name));
  const found: PromptVariable[] = [];
  for (const [, inDollar, inBraces] of content.matchAll(PLACEHOLDER)) {
    const name = inDollar ?? inBraces ?? '';
    if (names.has(name)) continue;
    names.add(name);
    found.push({ name });
  }
  return [...declared, ...found];
}
