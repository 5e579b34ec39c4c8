import type { Gauge } from 'prom-client';
import { defineCounter, defineGauge } from './define-metric.js';

export interface Sample<Label extends string> {
  labels: Record<Label, string>;
  value: number;
}

export interface SampledGauge<Label extends string> {
  name: `candor_${string}`;
  help: string;
  /** One at least: a gauge without labels can't be absent. */
  labels: readonly [Label, ...Label[]];
  /** Scrapes that come sooner share a reading, ms; default 5,000. */
  cacheMs?: number;
  /** Asks whatever knows the values. */
  read: () => Promise<readonly Sample<Label>[]>;
}

const CACHE_MS = 5_000;
const TIMEOUT_MS = 2_000;

const failures = defineCounter({
  name: 'candor_metric_sample_failures_total',
  help: 'Values that could not be read at a scrape; the metric is left out of that answer.',
  labels: ['metric'],
});

interface Reader {
  read: () => Promise<readonly Sample<string>[]>;
  cachedUntil: number;
}

/** The newest caller's: in tests and in `standalone` a process may open its queue more than once. */
const readers = new Map<string, Reader>();

/**
 * A gauge whose values another server has to be asked for. A scrape waits two seconds at most; when the server doesn't
 * answer the gauge is absent, never an old or a zero value, and the failure is counted.
 */
export function sampleAtScrape<Label extends string>(gauge: SampledGauge<Label>): void {
  const { name, help, labels, cacheMs = CACHE_MS, read } = gauge;
  const isNew = !readers.has(name);
  readers.set(name, { read, cachedUntil: 0 });
  if (!isNew) return;
  defineGauge<Label>({
    name,
    help,
    labels,
    collect: async (target: Gauge<Label>) => {
      const reader = readers.get(name);
      if (!reader || Date.now() < reader.cachedUntil) return;
      reader.cachedUntil = Date.now() + cacheMs;
      try {
        const samples = await within(TIMEOUT_MS, reader.read());
        target.reset();
        for (const { labels, value } of samples) target.set(labels as Record<Label, string>, value);
      } catch {
        // What failed is known from the health checks; here it only must not look like a value.
        target.reset();
        failures.inc({ metric: name });
        reader.cachedUntil = 0;
      }
    },
  });
}

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), milliseconds);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
