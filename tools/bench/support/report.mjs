import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './data-sets.mjs';

export const say = (line) => console.error(`bench: ${line}`);

export const ms = (value) => `${value.toFixed(1)} ms`;

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Under what a number was measured; a rate means nothing without it. */
export function machine() {
  const [model] = cpus();
  return `${availableParallelism()} cores (${model?.model.trim() ?? 'unknown'}), Node ${process.version}, load ${loadavg()[0].toFixed(1)} at the end`;
}

/** A sentence of its own when others were at work too. Read before a benchmark starts its own. */
export const busyNote = (loadBefore) =>
  loadBefore > availableParallelism()
    ? ` **Other programs kept the machine busy (load ${loadBefore.toFixed(0)} before the start): the ratios are too high, repeat on a quiet one.**`
    : '';

export const today = () => new Date().toISOString().slice(0, 10);

/** Prints the report; with `path`, also writes it below the repository, formatted as everything in it. */
export async function publish(report, path) {
  console.log(report);
  if (path === undefined) return;
  const { default: prettier } = await import('prettier');
  const options = { ...(await prettier.resolveConfig(join(ROOT, path))), parser: 'markdown' };
  await writeFile(join(ROOT, path), await prettier.format(report, options));
  say(`wrote ${path}`);
}
