// What docs/reference/speed.md says was measured: one place for the numbers that docs/scaling.md reckons with.
import { readFileSync } from 'node:fs';

const SPEED = new URL('../../docs/reference/speed.md', import.meta.url);

const numberIn = (text) => Number(/[\d,]+(\.\d+)?/.exec(text)?.[0].replaceAll(',', '') ?? NaN);
const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/**
 * One entry an index size, smallest first.
 * @returns {{ chunks: number, clients: Record<number, { p50: number, p99: number, perSecond: number, rawP50: number }> }[]} ms
 */
export function readSearchSpeed(text = readFileSync(SPEED, 'utf8')) {
  const sections = [...text.matchAll(/^### ([\d,]+) chunks\n([^]*?)(?=^##|(?![^]))/gm)];
  return sections.map(([, chunks, body]) => {
    const clients = {};
    let last;
    for (const cells of body
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map(cellsOf)) {
      const [who, side, p50, p99, perSecond] = cells;
      if (side === 'Candor')
        last = clients[numberIn(who)] = { p50: numberIn(p50), p99: numberIn(p99), perSecond: numberIn(perSecond) };
      if (side === 'raw' && last) last.rawP50 = numberIn(p50);
    }
    return { chunks: numberIn(chunks), clients };
  });
}
