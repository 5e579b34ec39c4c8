import { z } from 'zod';
import { describeIssues } from './describe-issues.js';

function issuesOf(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value, { reportInput: true });
  return parsed.success ? [] : describeIssues(parsed.error.issues, 'body').map(({ field, rule }) => `${field} ${rule}`);
}

describe('describeIssues', () => {
  const schema = z.strictObject({
    name: z.string().min(1).max(3),
    documents: z
      .array(z.strictObject({ body: z.string() }))
      .min(1)
      .optional(),
    count: z.number().int().min(1).optional(),
    mode: z.enum(['a', 'b']).optional(),
    labels: z.record(z.string().max(2), z.string()).optional(),
    target: z.union([z.string(), z.strictObject({ id: z.uuid() })]).optional(),
    shape: z
      .discriminatedUnion('type', [z.strictObject({ type: z.literal('x') }), z.strictObject({ type: z.literal('y') })])
      .optional(),
    custom: z
      .string()
      .refine((value) => value === 'right', 'must be right')
      .optional(),
  });

  it.each<[string, unknown, string[]]>([
    ['a missing field', {}, ['name is required']],
    ['a wrong type', { name: 1 }, ['name must be a string']],
    ['null', { name: null }, ['name must be a string']],
    ['no value at all', undefined, ['body is required']],
    ['an array for an object', [], ['body must be an object']],
    ['bounds of a string', { name: '' }, ['name must have at least 1 character']],
    ['bounds of a string', { name: 'long' }, ['name must have at most 3 characters']],
    ['bounds of a list', { name: 'a', documents: [] }, ['documents must have at least 1 item']],
    ['bounds of a number', { name: 'a', count: 0 }, ['count must be at least 1']],
    ['a fraction', { name: 'a', count: 1.5 }, ['count must be an integer']],
    ['a value off the list', { name: 'a', mode: 'planted' }, ['mode must be one of a, b']],
    [
      'a place in a list',
      { name: 'a', documents: [{ body: 'x' }, { body: 2 }] },
      ['documents[1].body must be a string'],
    ],
    ['an unknown field, before the missing one', { nmae: 'a' }, ['nmae is not a known field', 'name is required']],
    [
      'an unknown field within',
      { name: 'a', documents: [{ body: 'x', foo: 1 }] },
      ['documents[0].foo is not a known field'],
    ],
    [
      'a bad name in a record',
      { name: 'a', labels: { long: 'x' } },
      ['labels.long has a name that must have at most 2 characters'],
    ],
    ['the branch of a union that was meant', { name: 'a', target: { id: 'x' } }, ['target.id must be a valid UUID']],
    ['no branch of a union', { name: 'a', target: 3 }, ['target has none of the accepted forms']],
    ['a discriminator', { name: 'a', shape: { type: 'z' } }, ['shape.type has none of the accepted forms']],
    ["the contract's own words", { name: 'a', custom: 'wrong' }, ['custom must be right']],
  ])('tells %s', (_, value, expected) => {
    expect(issuesOf(schema, value)).toEqual(expected);
  });

  it('shows a hostile field name shortened and printable', () => {
    const [told] = issuesOf(z.strictObject({}), { [`a\0\ud800${'x'.repeat(10_000)}`]: 1 });
    expect(told).toMatch(/^a\ufffd\ufffdx+… is not a known field$/);
    expect(told?.length).toBeLessThan(230);
  });
});
