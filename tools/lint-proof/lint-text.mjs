/**
 * Lints texts as if they were the content of given files: reads `[{ filePath, text }]` (JSON) from standard input,
 * prints `[{ ruleId, message }][]`. A process of its own because ESLint loads its configuration by `import()`.
 */
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cases = JSON.parse(await readText(process.stdin));
const eslint = new ESLint({ cwd: root, ignore: false });
const results = [];
for (const { filePath, text } of cases) {
  const [result] = await eslint.lintText(text, { filePath });
  results.push(result.messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
process.stdout.write(JSON.stringify(results));
