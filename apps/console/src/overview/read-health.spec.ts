import { describePart, readHealth } from './read-health.js';

describe('readHealth', () => {
  it('puts what fails first', () => {
    expect(readHealth({ status: 'degraded', checks: { database: 'ok', index: 'failed' } })).toEqual({
      status: 'degraded',
      parts: [
        { name: 'index', works: false },
        { name: 'database', works: true },
      ],
    });
  });

  it.each([null, 'x', {}, { status: 'fine', checks: {} }, { status: 'ok' }])('refuses %p', (body) =>
    expect(() => readHealth(body)).toThrow(/no health report/),
  );
});

describe('describePart', () => {
  it('has words for parts, and shows an unknown one by its name', () => {
    expect(describePart('index')).toBe('Search index');
    expect(describePart('workers:index')).toBe('Workers of index');
    expect(describePart('new-part')).toBe('new-part');
  });
});
