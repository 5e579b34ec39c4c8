import { Counter, Gauge, Histogram, type Metric } from 'prom-client';
import { processMetrics } from './process-metrics.js';

interface MetricOptions<Label extends string> {
  name: `candor_${string}`;
  help: string;
  /**
   * Values must come from a short closed list: each combination is a time series. Never an id, a tenant or a text; never
   * `job` or `instance`, which Prometheus sets at each scrape, and would call ours `exported_job`.
   */
  labels?: readonly Label[];
}

const SCRAPE_LABELS: readonly string[] = ['job', 'instance'];
/** From a cache hit to a model that takes a minute. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function defineCounter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
  return once(options.name, () => new Counter(configurationOf(options)));
}

export function defineHistogram<Label extends string = never>(
  options: MetricOptions<Label> & { buckets?: readonly number[] },
): Histogram<Label> {
  return once(
    options.name,
    () => new Histogram({ ...configurationOf(options), buckets: [...(options.buckets ?? SECONDS)] }),
  );
}

/** `collect` runs at each scrape; see `sampleAtScrape` for values that another server must be asked for. */
export function defineGauge<Label extends string = never>(
  options: MetricOptions<Label> & { collect?: (gauge: Gauge<Label>) => Promise<void> | void },
): Gauge<Label> {
  const { collect } = options;
  return once(
    options.name,
    () =>
      new Gauge({
        ...configurationOf(options),
        ...(collect
          ? {
              collect(this: Gauge<Label>) {
                return collect(this);
              },
            }
          : {}),
      }),
  );
}

/** A module that is loaded twice in one process (two entry points, four services in one) shares its metrics. */
function once<Kind extends Metric>(name: string, create: () => Kind): Kind {
  return (processMetrics().getSingleMetric(name) as Kind | undefined) ?? create();
}

function configurationOf<Label extends string>({ name, help, labels = [] }: MetricOptions<Label>) {
  const taken = labels.find((label) => SCRAPE_LABELS.includes(label));
  if (taken !== undefined) throw new Error(`${name} can't have the label "${taken}": Prometheus sets it itself`);
  return { name, help, labelNames: [...labels], registers: [processMetrics()] };
}
