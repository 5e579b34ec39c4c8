import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callApi, loadDemo, type DemoTarget } from './load-demo.js';

/**
 * Only on a database's first start: what a person deletes from the demo stays deleted. Both profiles share the folder, and each
 * has a database of its own; the marker has a line for each, beginning with the id of its first key.
 */
export async function loadDemoOnce(config: { CANDOR_DEMO: boolean }, data: string, target: DemoTarget): Promise<void> {
  if (!config.CANDOR_DEMO) return;
  const marker = join(data, 'demo-loaded');
  const loaded = await readMarker(marker);
  const { id } = (await callApi<{ data: { id: string } }>(target, 'GET', '/v1/user/me')).data;
  if (loaded.some((line) => line.startsWith(`${id} `))) return;
  // Releases before wrote the time alone: theirs is the database that something was pushed to.
  const isUnnamed = loaded.some((line) => !line.includes(' '));
  if (!isUnnamed || !(await hasIngestions(target))) await loadDemo(target, (line) => console.log(line));
  await appendFile(marker, `${id} ${new Date().toISOString()}\n`, { mode: 0o600 });
}

async function readMarker(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function hasIngestions(target: DemoTarget): Promise<boolean> {
  return (await callApi<{ data: unknown[] }>(target, 'GET', '/v1/ingestions?limit=1')).data.length > 0;
}
