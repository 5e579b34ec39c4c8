import { statSync } from 'node:fs';

/**
 * Brings Nx's cached project graph up to date. Without one, `@nx/enforce-module-boundaries` skips every file with
 * a mere warning, so a fresh clone would pass whatever it imports.
 */
export async function refreshProjectGraph(root) {
  process.env.NX_DAEMON = 'false';
  const { createProjectGraphAsync } = await import('@nx/devkit');
  await createProjectGraphAsync({ exitOnError: false });
  statSync(`${root}/.nx/workspace-data/project-graph.json`);
}
