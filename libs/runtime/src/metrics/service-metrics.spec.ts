import { AppError } from '@candor/contracts';
import { RowBreaker } from '../circuit-breaker.js';
import { HealthRegistry } from '../health/health-registry.js';
import { defineCounter, defineHistogram } from './define-metric.js';
import { observeDuration } from './observe-duration.js';
import { processMetrics } from './process-metrics.js';
import { sampleAtScrape } from './sample-at-scrape.js';

const scrape = () => processMetrics().metrics();
const linesOf = async (name: string) => (await scrape()).split('\n').filter((line) => line.startsWith(`${name}{`));

describe('metrics of a process', () => {
  it('defines a metric once, however often its module is loaded', async () => {
    const define = () =>
      defineHistogram({ name: 'candor_spec_seconds', help: 'Spec.', labels: ['kind', 'outcome'], buckets: [1] });
    expect(define()).toBe(define());
  });

  it.each(['job', 'instance'])('has no label %s, which Prometheus sets itself', (label) => {
    const define = () => defineCounter({ name: 'candor_spec_total', help: 'Spec.', labels: ['kind', label] });
    expect(define).toThrow(`candor_spec_total can't have the label "${label}"`);
  });

  it('tells how long work took and how it ended, by the error’s code', async () => {
    const histogram = defineHistogram({ name: 'candor_spec_seconds', help: 'Spec.', labels: ['kind', 'outcome'] });
    expect(await observeDuration(histogram, { kind: 'a' }, async () => 7)).toBe(7);
    const failing = observeDuration(histogram, { kind: 'b' }, () => Promise.reject(new AppError('DEADLINE.EXCEEDED')));
    await expect(failing).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    await expect(observeDuration(histogram, { kind: 'b' }, () => Promise.reject(new Error('planted')))).rejects.toThrow(
      'planted',
    );
    const counts = await linesOf('candor_spec_seconds_count');
    expect(counts.sort()).toEqual([
      'candor_spec_seconds_count{kind="a",outcome="ok"} 1',
      'candor_spec_seconds_count{kind="b",outcome="DEADLINE.EXCEEDED"} 1',
      'candor_spec_seconds_count{kind="b",outcome="INTERNAL.UNEXPECTED"} 1',
    ]);
    expect(await scrape()).not.toContain('planted');
  });

  it('asks another server at a scrape, shares the answer for a while, and is absent when there is none', async () => {
    let asked = 0;
    const sample = (read: () => Promise<{ labels: { queue: string }; value: number }[]>) =>
      sampleAtScrape({ name: 'candor_spec_depth', help: 'Spec.', labels: ['queue'], cacheMs: 600_000, read });
    sample(async () => {
      asked += 1;
      return [{ labels: { queue: 'a' }, value: 3 }];
    });
    expect(await linesOf('candor_spec_depth')).toEqual(['candor_spec_depth{queue="a"} 3']);
    expect(await linesOf('candor_spec_depth')).toEqual(['candor_spec_depth{queue="a"} 3']);
    expect(asked).toBe(1);
    sample(() => Promise.reject(new Error('down')));
    expect(await linesOf('candor_spec_depth')).toEqual([]);
    expect(await linesOf('candor_metric_sample_failures_total')).toEqual([
      'candor_metric_sample_failures_total{metric="candor_spec_depth"} 1',
    ]);
  });

  it('shows a circuit as it opens, and a health check as it fails', async () => {
    const breaker = new RowBreaker({
      name: 'spec',
      failuresUntilOpen: 1,
      resetMs: 60_000,
      judge: () => 'transport_failure',
      refuse: () => new AppError('DEPENDENCY.INDEX_UNAVAILABLE'),
    });
    expect(await linesOf('candor_circuit_state')).toEqual(['candor_circuit_state{circuit="spec"} 0']);
    await breaker.run(() => Promise.reject(new Error('down'))).catch(() => undefined);
    expect(await linesOf('candor_circuit_state')).toEqual(['candor_circuit_state{circuit="spec"} 2']);
    breaker.close();

    const health = new HealthRegistry();
    health.register('spec-check', () => Promise.reject(new Error('down')), { critical: false });
    await health.report();
    expect(await linesOf('candor_health_check_failing')).toEqual(['candor_health_check_failing{check="spec-check"} 1']);
  });
});
