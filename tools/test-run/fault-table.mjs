/**
 * What `npm run test:faults` shows for each promise, and what keeps the run from being good beside failed tests:
 * a promise that nothing was tried for, and a count for something that isn't promised.
 *
 * @param promises  names, in order
 * @param ledger  `{ promise, what, tried, lost }`, as the suites wrote them down; `lost` is null where nobody counted losses
 * @param tests  `{ promise, status }` of the tests that belong to a promise, `status` as jest says it
 */
export function summarise(promises, ledger, tests) {
  const rows = promises.map((promise) => {
    const counts = new Map();
    for (const { what, tried } of ledger.filter((line) => line.promise === promise))
      counts.set(what, (counts.get(what) ?? 0) + tried);
    const of = (status) => tests.filter((test) => test.promise === promise && test.status === status).length;
    const losses = ledger.filter((line) => line.promise === promise && line.lost !== null);
    // No count of losses is no count of 0.
    const lost = losses.length === 0 ? null : losses.reduce((sum, line) => sum + line.lost, 0);
    return { promise, passed: of('passed'), failed: of('failed'), counts: [...counts].filter(([, n]) => n > 0), lost };
  });
  const unknown = [...ledger, ...tests].map(({ promise }) => promise).filter((name) => !promises.includes(name));
  return { rows, untried: rows.filter((row) => row.passed + row.failed === 0), unknown: [...new Set(unknown)] };
}

/** As lines of text, with a heading. */
export function formatTable(rows) {
  const cells = rows.map(({ promise, passed, failed, counts, lost }) => [
    promise,
    `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}`,
    counts.map(([what, count]) => `${count.toLocaleString('en')} ${what}`).join(', ') || '-',
    lost === null ? `–${passed + failed > 0 ? ' (asserted by the tests)' : ''}` : String(lost),
  ]);
  const table = [['promise', 'tests', 'tried', 'lost'], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  return table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

/** First column of the table in docs/reference/reliability-coverage.md. */
export function readPromises(markdown) {
  const lines = markdown.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.split('|')[1].trim());
}
