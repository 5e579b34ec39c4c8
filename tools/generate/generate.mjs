/** `npm run generate`: writes the references from the contracts; the sources must have been built. */
import { writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { renderReferences } from './render-references.mjs';

const root = new URL('../../', import.meta.url);
for (const [path, text] of Object.entries(renderReferences())) {
  const file = new URL(path, root);
  const options = await resolveConfig(file);
  const formatted = path.endsWith('.json') ? text : await format(text, { ...options, filepath: path });
  await writeFile(file, formatted);
  console.log(path);
}
