import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { testServerUrl } from './create-test-database.js';

describe('testServerUrl', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is the given server, a skip that is said aloud, or a failure in CI', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(testServerUrl({ DATABASE_URL: 'postgresql://x', CI: 'true' })).toBe('postgresql://x');
    expect(warn).not.toHaveBeenCalled();
    expect(testServerUrl({})).toBeNull();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('DATABASE_URL'));
    expect(() => testServerUrl({ CI: 'true' })).toThrow('DATABASE_URL');
  });
});
