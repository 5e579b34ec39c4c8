import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { parseSynthesisOutput, synthesisOutputJsonSchema } from './synthesis-output.js';

const valid = {
  statements: [{ text: 'It is 5 MB.', references: [{ chunkId: 'c1', quotation: 'The limit is 5 MB.' }] }],
  limitations: ['No date is given.'],
};

function failureOf(raw: unknown): AppError {
  try {
    parseSynthesisOutput(raw);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('expected a failure');
}

describe('parseSynthesisOutput', () => {
  it('accepts exactly the contract, as JSON text or as a value', () => {
    expect(parseSynthesisOutput(JSON.stringify(valid))).toEqual(valid);
    expect(parseSynthesisOutput(valid)).toEqual(valid);
    expect(parseSynthesisOutput('{"statements":[],"limitations":[]}')).toEqual({ statements: [], limitations: [] });
  });

  const reference = { chunkId: 'c1', quotation: 'x' };
  it.each<[string, unknown]>([
    ['an unknown key at the root', { ...valid, confidence: 1 }],
    ['an unknown key in a statement', { ...valid, statements: [{ text: 'x', references: [reference], score: 1 }] }],
    [
      'an unknown key in a reference',
      { ...valid, statements: [{ text: 'x', references: [{ ...reference, page: 1 }] }] },
    ],
    ['an own __proto__ key', '{"statements":[],"limitations":[],"__proto__":{}}'],
    ['missing statements', { limitations: [] }],
    ['missing limitations', { statements: [] }],
    ['a missing text', { ...valid, statements: [{ references: [reference] }] }],
    ['missing references', { ...valid, statements: [{ text: 'x' }] }],
    ['a missing quotation', { ...valid, statements: [{ text: 'x', references: [{ chunkId: 'c1' }] }] }],
    ['a missing chunk id', { ...valid, statements: [{ text: 'x', references: [{ quotation: 'x' }] }] }],
    ['empty references', { ...valid, statements: [{ text: 'x', references: [] }] }],
    ['an empty text of a statement', { ...valid, statements: [{ text: '', references: [reference] }] }],
    ['a blank text', { ...valid, statements: [{ text: ' \n\u00a0', references: [reference] }] }],
    ['a number for a text', { ...valid, statements: [{ text: 5, references: [reference] }] }],
    [
      'null for a quotation',
      { ...valid, statements: [{ text: 'x', references: [{ chunkId: 'c1', quotation: null }] }] },
    ],
    ['an object for limitations', { ...valid, limitations: {} }],
    ['a list at the root', [valid]],
    ['null', null],
    ['undefined', undefined],
    ['prose', 'The limit is 5 MB.'],
    ['fenced JSON', `\`\`\`json\n${JSON.stringify(valid)}\n\`\`\``],
    ['JSON cut off', JSON.stringify(valid).slice(0, -2)],
    ['an empty text', ''],
    ['two documents', '{"statements":[],"limitations":[]}{}'],
  ])('rejects %s with SYNTHESIS.INVALID_OUTPUT', (_, raw) => {
    const error = failureOf(raw);
    expect(error.code).toBe('SYNTHESIS.INVALID_OUTPUT');
    expect(error.status).toBe(502);
  });

  it('says where the text is blank, and tells of no more than 20 places', () => {
    const statements = Array.from({ length: 25 }, () => ({ text: ' ', references: [reference] }));
    expect(failureOf({ statements, limitations: [] }).details).toEqual({
      issues: statements.slice(0, 20).map((_, index) => ({ path: `statements.${index}.text`, rule: 'custom' })),
    });
  });

  it('says where and why without repeating anything of the output', () => {
    const secret = 'sealed-content';
    const error = failureOf({
      [secret]: secret,
      statements: [{ text: secret, [secret]: secret, references: [{ chunkId: 7, quotation: secret }] }],
      limitations: [],
    });
    expect(error.details).toEqual({
      issues: expect.arrayContaining([{ path: 'statements.0.references.0.chunkId', rule: 'invalid_type' }]),
    });
    const said = JSON.stringify([error.toWire(), String(error.cause)]);
    expect(said).not.toContain(secret);
    expect(failureOf(secret).details).toEqual({ issues: [{ path: '', rule: 'not_json' }] });
    expect(JSON.stringify(failureOf(`not json: ${secret}`).toWire()) + String(failureOf(secret).cause)).not.toContain(
      secret,
    );
  });
});

describe('synthesisOutputJsonSchema', () => {
  it('forbids other keys and requires every key at every level, as strict mode demands', () => {
    const objects: Array<Record<string, unknown>> = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('type' in node && node.type === 'object') objects.push(node);
      Object.values(node).forEach(visit);
    };
    visit(synthesisOutputJsonSchema());
    expect(objects).toHaveLength(3);
    for (const { additionalProperties, properties, required } of objects) {
      expect(additionalProperties).toBe(false);
      expect(required).toEqual(Object.keys(properties as object));
    }
    expect(synthesisOutputJsonSchema()).not.toHaveProperty('$schema');
  });

  it('has only keywords that strict mode knows', () => {
    const keywords = new Set<string>();
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [keyword, value] of Object.entries(node)) {
        keywords.add(keyword);
        if (keyword === 'properties') Object.values(value as object).forEach(visit);
        else if (!Array.isArray(value)) visit(value);
      }
    };
    visit(synthesisOutputJsonSchema());
    expect([...keywords].sort()).toEqual([
      'additionalProperties',
      'items',
      'minItems',
      'properties',
      'required',
      'type',
    ]);
  });
});
