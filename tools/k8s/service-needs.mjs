import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a manifest may set of that on which the needs depend. */
const DECIDING = ['SEARCH_DEADLINE_MS', 'REASON_DEADLINE_MS', 'UPLOADS_IN_FLIGHT_MIB'];

/**
 * What the services need of whoever runs them, given this environment: `drainMs` by service, how long each, told to end,
 * lets go on what it has taken; `uploadMib`, the gateway's memory for files under way. In a process of its own: the
 * services' builds are no part of a test's modules.
 */
export function serviceNeeds(environment) {
  const script = fileURLToPath(new URL('./print-service-needs.mjs', import.meta.url));
  const set = Object.fromEntries(DECIDING.map((name) => [name, environment[name]]));
  return JSON.parse(execFileSync(process.execPath, [script, JSON.stringify(set)], { encoding: 'utf8' }));
}
