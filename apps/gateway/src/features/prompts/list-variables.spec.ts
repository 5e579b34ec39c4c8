import { describe, expect, it } from '@jest/globals';
import { listVariables } from './list-variables.js';

const namesIn = (content: string): string[] => listVariables([], content).map(({ name }) => name);

describe('the variables of a prompt', () => {
  it.each([
    ['Dear ${name}, your ${order.id} is late.', ['name', 'order.id']],
    ['Dear {{name}}, your {{ order-id }} is late.', ['name', 'order-id']],
    ['${a} {{a}} ${a}', ['a']],
    ['${ größe } and {{名前}}', ['größe', '名前']],
    ['no variables: $name {name} $ {x} ${} {{}} ${1a} ${a b} {{a}', []],
    [`\${${'x'.repeat(101)}}`, []],
  ])('in %j are %j', (content, names) => {
    expect(namesIn(content)).toEqual(names);
  });

  it('are the declared ones as they were declared, then what only the content names', () => {
    const declared = [{ name: 'tone', type: 'string', description: 'How' }, { name: 'unused' }];
    expect(listVariables(declared, 'In a ${tone} tone to ${name}.')).toEqual([...declared, { name: 'name' }]);
  });

  it('takes no longer for what almost looks like one', () => {
    expect(namesIn('${'.repeat(50_000) + '{{ '.repeat(50_000))).toEqual([]);
  });
});
