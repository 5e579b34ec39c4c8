import { describe, expect, it } from '@jest/globals';
import { choosePublicAddress } from './public-address.js';

describe('choosePublicAddress', () => {
  it('is what is configured', async () => {
    expect(await choosePublicAddress({ HOST: '::1', PORT: 3000 })).toEqual({
      host: '::1',
      port: 3000,
      url: 'http://[::1]:3000',
    });
  });

  it('has a port that is known before anybody listens, also for PORT=0', async () => {
    const { port, url } = await choosePublicAddress({ HOST: '127.0.0.1', PORT: 0 });
    expect(port).toBeGreaterThan(0);
    expect(url).toBe(`http://127.0.0.1:${port}`);
  });
});
