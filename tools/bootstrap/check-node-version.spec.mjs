import { readFileSync } from 'node:fs';
import { isSupportedNode } from './check-node-version.mjs';

describe('isSupportedNode', () => {
  it.each(['v20.19.0', 'v20.20.2', 'v22.12.0', 'v22.21.1', 'v23.0.0', 'v24.11.1'])('takes %s', (version) => {
    expect(isSupportedNode(version)).toBe(true);
  });

  it.each(['v18.20.8', 'v20.18.3', 'v21.7.3', 'v22.11.0', 'v16.0.0'])('refuses %s', (version) => {
    expect(isSupportedNode(version)).toBe(false);
  });

  it('says what package.json says', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
  });
});
