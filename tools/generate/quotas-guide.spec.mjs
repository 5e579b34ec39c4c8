import { readFile } from 'node:fs/promises';
import { MCP_ROUTES, ROUTES } from '@candor/contracts';

const guide = await readFile(new URL('../../docs/guides/quotas.md', import.meta.url), 'utf8');

describe('the guide on quotas', () => {
  it('names every route that no rate limit counts, and no other', () => {
    const [, section] = /\n## What no rate limit counts\n([^]+?)(?=\n## |$)/.exec(guide);
    const named = [...section.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/(?:v1|mcp)[\w/:-]*)`/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const exempt = [...ROUTES, ...MCP_ROUTES].filter(({ rateLimited }) => rateLimited === false);
    expect(named.sort()).toEqual(exempt.map(({ method, path }) => `${method} ${path}`).sort());
  });
});
