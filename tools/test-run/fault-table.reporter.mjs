import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatTable, readPromises, summarise } from './fault-table.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENT = 'docs/reference/reliability-coverage.md';

/**
 * Prints at the end of the fault suite what was tried for each promise and what was lost. A test belongs to a promise by
 * a `describe` of that name, or by its file (`promiseOf`: path from the repository's root → promise).
 * A run of all suites fails when something was lost or a promise wasn't tried.
 */
export default class FaultTableReporter {
  constructor(globalConfig, { promiseOf = {} } = {}) {
    this.isWhole = !globalConfig.testNamePattern && globalConfig.testPathPatterns.patterns.length === 0;
    this.promiseOf = promiseOf;
    this.promises = readPromises(readFileSync(join(ROOT, DOCUMENT), 'utf8'));
    this.folder = mkdtempSync(join(tmpdir(), 'candor-fault-ledger-'));
    process.env.CANDOR_FAULT_LEDGER = join(this.folder, 'ledger.ndjson');
  }

  onRunComplete(_contexts, { testResults }) {
    const { rows, untried, unknown } = summarise(this.promises, this.readLedger(), this.listTests(testResults));
    rmSync(this.folder, { recursive: true });
    process.stderr.write(`\n${formatTable(rows).join('\n')}\n`);
    const reasons = [
      ...rows.filter(({ lost }) => lost > 0).map(({ promise, lost }) => `${promise}: ${lost} lost`),
      ...unknown.map((name) => `${name}: not a promise of ${DOCUMENT}`),
      ...(this.isWhole ? untried.map(({ promise }) => `${promise}: nothing was tried`) : []),
    ];
    if (reasons.length > 0) this.error = new Error(reasons.join('\n'));
  }

  getLastError() {
    return this.error;
  }

  readLedger() {
    const file = process.env.CANDOR_FAULT_LEDGER;
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  listTests(testResults) {
    return testResults.flatMap(({ testFilePath, testResults: tests }) =>
      tests.flatMap(({ ancestorTitles, status }) => {
        const promise =
          ancestorTitles.find((title) => this.promises.includes(title)) ?? this.promiseOf[relative(ROOT, testFilePath)];
        return promise === undefined ? [] : [{ promise, status }];
      }),
    );
  }
}
