import { ACTIONS, allows } from './permissions.js';

describe('allows', () => {
  it('takes an action by its name, and admin for each', () => {
    expect(allows(['search'], 'search')).toBe(true);
    expect(allows(['search'], 'context')).toBe(false);
    for (const action of ACTIONS) expect(allows(['admin'], action)).toBe(true);
  });
});
