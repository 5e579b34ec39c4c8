import { jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { createHttpApp } from '../http/create-http-app.js';
import { listenUntilSignal, type RunningApp } from '../http/listen-until-signal.js';
import { createLogger } from '../logging/create-logger.js';
import { HealthModule } from './health.module.js';
import { HealthRegistry } from './health-registry.js';

const failing = new Set<string>();
let running: RunningApp;
const counts: Record<string, number> = {};

function check(name: string) {
  return async () => {
    counts[name] = (counts[name] ?? 0) + 1;
    if (failing.has(name)) throw new Error(`${name} is down`);
  };
}

async function start(registry: HealthRegistry, drainMs = 0): Promise<RunningApp> {
  const metrics = new Registry();
  new Counter({ name: 'candor_sample_total', help: 'Sample', registers: [metrics] }).inc();
  @Module({ imports: [HealthModule.forRoot({ registry, metrics })] })
  class HealthTestModule {}
  const app = await createHttpApp(HealthTestModule, {
    service: 'health',
    logger: createLogger('health', { level: 'silent' }),
    metrics,
    bodyLimits: () => 1,
  });
  return listenUntilSignal(app, { port: 0, handleSignals: false, drainMs });
}

async function ready(): Promise<[number, unknown]> {
  const response = await fetch(`${running.url}/readyz`);
  return [response.status, await response.json()];
}

beforeEach(() => failing.clear());
afterEach(() => running.stop());

describe('health', () => {
  it('is starting until every startup check has passed once', async () => {
    const registry = new HealthRegistry({ cacheMs: 0 });
    registry.register('model', check('model'), { critical: false, startup: true });
    running = await start(registry);
    failing.add('model');
    expect(await ready()).toEqual([503, { status: 'starting', checks: { model: 'failed' } }]);
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    failing.clear();
    expect(await ready()).toEqual([200, { status: 'ok', checks: { model: 'ok' } }]);
    failing.add('model');
    expect(await ready()).toEqual([200, { status: 'degraded', checks: { model: 'failed' } }]);
  });

  it('waits for a startup check that has its time for that time, and is degraded afterwards', async () => {
    const clock = jest.spyOn(Date, 'now');
    try {
      const startedAt = 1_700_000_000_000;
      const readyAfter = (ms: number): Promise<[number, unknown]> => {
        clock.mockReturnValue(startedAt + ms);
        return ready();
      };
      clock.mockReturnValue(startedAt);
      const registry = new HealthRegistry({ cacheMs: 0 });
      registry.register('queue', check('queue'), { critical: false, startup: { atMostMs: 60_000 } });
      running = await start(registry);
      failing.add('queue').add('database');
      const starting = [503, { status: 'starting', checks: { queue: 'failed' } }];
      expect(await readyAfter(0)).toEqual(starting);
      expect(await readyAfter(59_000)).toEqual(starting);
      expect(await readyAfter(60_000)).toEqual([200, { status: 'degraded', checks: { queue: 'failed' } }]);
      failing.delete('queue');
      expect(await readyAfter(61_000)).toEqual([200, { status: 'ok', checks: { queue: 'ok' } }]);
      registry.register('database', check('database'), { critical: true, startup: true });
      expect(await readyAfter(600_000)).toEqual([
        503,
        { status: 'starting', checks: { queue: 'ok', database: 'failed' } },
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  it('is unavailable only while a critical check fails', async () => {
    const registry = new HealthRegistry({ cacheMs: 0 });
    registry.register('database', check('database'), { critical: true });
    registry.register('queue', check('queue'), { critical: false });
    running = await start(registry);
    failing.add('queue');
    expect(await ready()).toEqual([200, { status: 'degraded', checks: { database: 'ok', queue: 'failed' } }]);
    failing.add('database');
    expect(await ready()).toEqual([503, { status: 'unavailable', checks: { database: 'failed', queue: 'failed' } }]);
    expect(await (await fetch(`${running.url}/healthz`)).json()).toEqual({ status: 'ok' });
    failing.clear();
    expect(await ready()).toEqual([200, { status: 'ok', checks: { database: 'ok', queue: 'ok' } }]);
  });

  it('is not ready from the first moment of closing, while requests are still served', async () => {
    const registry = new HealthRegistry();
    registry.register('database', check('database'), { critical: true });
    running = await start(registry, 500);
    expect(await ready()).toEqual([200, { status: 'ok', checks: { database: 'ok' } }]);
    const stopping = running.stop();
    expect(await ready()).toEqual([503, { status: 'draining', checks: { database: 'ok' } }]);
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    await stopping;
  });

  it('gives a hanging check up and tells it so', async () => {
    const registry = new HealthRegistry({ cacheMs: 0, timeoutMs: 20 });
    let told: AbortSignal | undefined;
    registry.register('hanging', (signal) => ((told = signal), new Promise(() => undefined)), { critical: true });
    running = await start(registry);
    expect(await ready()).toEqual([503, { status: 'unavailable', checks: { hanging: 'failed' } }]);
    expect(told?.aborted).toBe(true);
  });

  it('reuses a recent result, so that probes cannot load a dependency', async () => {
    const registry = new HealthRegistry({ cacheMs: 60_000 });
    counts['probed'] = 0;
    registry.register('probed', check('probed'), { critical: true });
    running = await start(registry);
    await Promise.all(Array.from({ length: 10 }, ready));
    expect(counts['probed']).toBe(1);
  });

  it('serves the metrics as text and refuses a second check of the same name', async () => {
    const registry = new HealthRegistry();
    registry.register('once', check('once'), { critical: true });
    expect(() => registry.register('once', check('once'), { critical: true })).toThrow('two health checks named once');
    running = await start(registry);
    const response = await fetch(`${running.url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toContain('candor_sample_total{app="health"} 1');
  });
});
