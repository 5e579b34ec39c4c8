import { describe, expect, it } from '@jest/globals';
import { contextContractSchema, reasoningResponseSchema, sourceItemSchema } from '@candor/contracts';
import { z } from 'zod';
import { MCP_TOOLS } from './mcp-tools.js';
import { toToolSchema } from './to-tool-schema.js';

describe('toToolSchema', () => {
  it('makes one flat object of a union: what only some forms have is optional, what differs may be either', () => {
    const schema = toToolSchema(
      z.union([
        z.strictObject({ version: z.literal('1.0'), hits: z.array(z.string()) }),
        z.strictObject({ version: z.literal('1.1'), hits: z.array(z.string()), took: z.number() }),
      ]),
      'output',
    );
    expect(schema).toEqual({
      type: 'object',
      properties: {
        version: {
          anyOf: [
            { type: 'string', const: '1.0' },
            { type: 'string', const: '1.1' },
          ],
        },
        hits: { type: 'array', items: { type: 'string' } },
        took: { type: 'number' },
      },
      required: ['version', 'hits'],
      additionalProperties: false,
    });
  });

  it('keeps fields that are called like keywords, and drops the keywords', () => {
    const schema = toToolSchema(z.strictObject({ id: z.uuid(), pattern: z.int(), required: z.string() }), 'input');
    expect(schema.properties).toEqual({
      id: { type: 'string', format: 'uuid' },
      pattern: { type: 'integer' },
      required: { type: 'string' },
    });
    expect(schema.required).toEqual(['id', 'pattern', 'required']);
  });

  it('puts everything in place of references; what is recursive may be any JSON', () => {
    const inner = z.strictObject({ a: z.string() }).meta({ id: 'Inner' });
    const schema = toToolSchema(z.strictObject({ inner, any: z.record(z.string(), z.json()) }), 'output');
    expect(schema.properties['inner']).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } });
    expect(schema.properties['any']).toMatchObject({ type: 'object', additionalProperties: {} });
  });

  it.each([
    ['a union of other things', z.union([z.string(), z.strictObject({})])],
    ['a list', z.array(z.string())],
  ])('refuses %s', (_what, schema) => {
    expect(() => toToolSchema(schema, 'output')).toThrow('must be an object');
  });

  it('knows every field of the contracts', () => {
    expect(Object.keys(toToolSchema(contextContractSchema, 'output').properties)).toEqual([
      'contract',
      'query',
      'hits',
      'citations',
      'exclusions',
      'limitations',
      'retrieval',
    ]);
    for (const contract of [sourceItemSchema, reasoningResponseSchema])
      expect(Object.keys(toToolSchema(contract, 'output').properties)).toEqual(Object.keys(contract.shape));
  });
});

describe('the tools', () => {
  it('have names of their own, and a description for every argument', () => {
    expect(new Set(MCP_TOOLS.map(({ listing }) => listing.name)).size).toBe(MCP_TOOLS.length);
    for (const { listing } of MCP_TOOLS)
      for (const property of Object.values(listing.inputSchema.properties ?? {}))
        expect(property).toHaveProperty('description', expect.stringMatching(/\w/));
  });
});
