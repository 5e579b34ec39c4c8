import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** The one registry of this process, with Node's own metrics in it. */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
