import { TestCounts } from './test-counts.mjs';

const test = (status, fullName = 'works') => ({
  status,
  fullName,
  failureMessages: status === 'failed' ? ['expected 1'] : [],
});
const file = (assertionResults, rest = {}) => ({
  name: '/a.spec.ts',
  status: 'passed',
  message: '',
  assertionResults,
  ...rest,
});

describe('TestCounts', () => {
  it('adds up what jest reports', () => {
    const counts = new TestCounts();
    counts.addJestReport({
      testResults: [file([test('passed'), test('pending'), test('todo')]), file([test('passed')])],
    });
    expect(`${counts}`).toBe('2 passed, 0 failed, 2 skipped');
    expect(counts.isGood).toBe(true);
  });

  it('names each failure with its message', () => {
    const counts = new TestCounts();
    counts.addJestReport({ testResults: [file([test('failed', 'adds')], { status: 'failed' })] });
    expect(counts.failures).toEqual([{ name: '/a.spec.ts › adds', message: 'expected 1' }]);
    expect(counts.isGood).toBe(false);
  });

  it('counts a file that could not be loaded', () => {
    const counts = new TestCounts();
    counts.addJestReport({ testResults: [file([], { status: 'failed', message: 'Cannot find module' })] });
    expect(`${counts}`).toBe('0 passed, 1 failed, 0 skipped');
  });

  it('is not good without a test', () => {
    expect(new TestCounts().isGood).toBe(false);
  });
});
