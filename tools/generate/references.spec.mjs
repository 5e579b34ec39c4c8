import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { renderReferences } from './render-references.mjs';

const root = new URL('../../', import.meta.url);

describe('generated references', () => {
  it.each(Object.keys(renderReferences()))('%s is what the contracts say (npm run generate)', async (path) => {
    const file = new URL(path, root);
    const text = renderReferences()[path];
    const options = await resolveConfig(file);
    const expected = path.endsWith('.json') ? text : await format(text, { ...options, filepath: path });
    expect(await readFile(file, 'utf8')).toBe(expected);
  });
});
