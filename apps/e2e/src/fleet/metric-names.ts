import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url));

/** Every metric that the dashboards, the alert rules and the autoscalers' queries name, without the suffixes of histograms. */
export function namedMetrics(): string[] {
  const dashboards = readdirSync(`${DEPLOY}dashboards`).map((name) => `${DEPLOY}dashboards/${name}`);
  const files = [
    ...dashboards,
    `${DEPLOY}prometheus/rules.yml`,
    `${DEPLOY}../k8s/components/queue-autoscaling/scaled-objects.yaml`,
  ];
  const names = files.flatMap(
    (path) => readFileSync(path, 'utf8').match(/\b(?:candor|nodejs|process)_[a-z_0-9]+/g) ?? [],
  );
  return [...new Set(names.map(withoutSuffix))].sort();
}

/** What a process exports, by name, from its answer to a scrape. */
export function exportedMetrics(scrape: string): string[] {
  return [...scrape.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
}

function withoutSuffix(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '');
}
