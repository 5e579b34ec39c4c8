import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SETTLE_MS = 500;
let source: Promise<string> | undefined;

/**
 * Serious and critical findings of axe on the page as it is, one line each. After a change of theme or width a page may be measured
 * half-way: what is gone a moment later was no barrier.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  const found = await runAxe(page);
  if (found.length === 0) return found;
  await page.waitForTimeout(SETTLE_MS);
  return runAxe(page);
}

async function runAxe(page: Page): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Handed in by the debugger: the page's policy lets nobody else add a script.
  await page.evaluate(await source);
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
