import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { isSupportedNode } from './is-supported-node.js';

describe('isSupportedNode', () => {
  it.each(['v20.19.0', 'v20.20.2', 'v22.12.0', 'v22.20.0', 'v23.0.0', 'v24.1.0', '26.0.0'])('takes %s', (version) =>
    expect(isSupportedNode(version)).toBe(true),
  );

  it.each(['v18.20.0', 'v20.18.9', 'v21.7.3', 'v22.0.0', 'v22.11.0'])('refuses %s', (version) =>
    expect(isSupportedNode(version)).toBe(false),
  );

  it('is the rule of package.json', async () => {
    const text = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ engines: { node: '^20.19.0 || >=22.12.0' } });
  });
});
