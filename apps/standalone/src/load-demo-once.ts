import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDemo, type DemoTarget } from './load-demo.js';

/** Only on the first start: what a person deletes from the demo stays deleted. */
export async function loadDemoOnce(config: { CANDOR_DEMO: boolean }, data: string, target: DemoTarget): Promise<void> {
  const marker = join(data, 'demo-loaded');
  if (!config.CANDOR_DEMO || existsSync(marker)) return;
  await loadDemo(target, (line) => console.log(line));
  await writeFile(marker, `${new Date().toISOString()}\n`);
}
