/** What all the parts of a test run add up to, and the failures to name at the end. */
export class TestCounts {
  passed = 0;
  failed = 0;
  skipped = 0;
  failures = [];
  skips = [];

  pass() {
    this.passed += 1;
  }

  fail(name, message) {
    this.failed += 1;
    this.failures.push({ name, message });
  }

  skip(name, reason) {
    this.skipped += 1;
    this.skips.push({ name, reason });
  }

  /** @param report  what `jest --json` writes */
  addJestReport(report) {
    for (const file of report.testResults) {
      for (const test of file.assertionResults) {
        const name = `${file.name} › ${test.fullName}`;
        if (test.status === 'passed') this.pass();
        else if (test.status === 'failed') this.fail(name, test.failureMessages.join('\n'));
        else this.skipped += 1;
      }
      // A file that can't be loaded, or whose hooks fail, has no test that says so.
      const named = file.assertionResults.some(({ status }) => status === 'failed');
      if (file.status === 'failed' && !named) this.fail(file.name, file.message);
    }
  }

  get isGood() {
    return this.failed === 0 && this.passed > 0;
  }

  toString() {
    return `${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`;
  }
}
