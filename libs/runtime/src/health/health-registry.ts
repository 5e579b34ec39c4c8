import { defineGauge } from '../metrics/define-metric.js';
import type { Logger } from '../logging/create-logger.js';

const checkFailing = defineGauge({
  name: 'candor_health_check_failing',
  help: 'Health checks as of the last probe of /readyz: 1 failing, 0 passing.',
  labels: ['check'],
});

export type HealthCheck = (signal: AbortSignal) => Promise<void>;

export interface HealthCheckOptions {
  /** A failing critical check takes this process out of the load balancer; any other only marks it degraded. */
  critical: boolean;
  /** Has to pass once before the process is ready at all; `atMostMs`: or this long after its registration, whatever it says. */
  startup?: boolean | { atMostMs: number };
}

export interface HealthReport {
  status: 'ok' | 'degraded' | 'starting' | 'unavailable' | 'draining';
  checks: Record<string, 'ok' | 'failed'>;
}

interface Registered extends HealthCheckOptions {
  check: HealthCheck;
  /** Once this time, ms since 1970, has come, or the check has passed, the process needn't wait for it. */
  awaitedUntil: number;
  failing: boolean;
}

export interface HealthRegistryOptions {
  /** A check that takes longer has failed; default 2,000 ms. */
  timeoutMs?: number;
  /** How long a result is reused; default 1,000 ms. */
  cacheMs?: number;
  logger?: Logger;
}

/** What this process needs, asked on demand. */
export class HealthRegistry {
  private readonly checks = new Map<string, Registered>();
  private draining = false;
  private cached: { report: Promise<HealthReport>; expiresAt: number } | undefined;

  constructor(private readonly options: HealthRegistryOptions = {}) {}

  register(name: string, check: HealthCheck, options: HealthCheckOptions): void {
    if (this.checks.has(name)) throw new Error(`There are two health checks named ${name}`);
    this.checks.set(name, { ...options, check, awaitedUntil: awaitedUntil(options), failing: false });
    this.cached = undefined;
  }

  /** From now on this process is not ready, whatever its checks say: it is about to close. */
  drain(): void {
    this.draining = true;
    this.cached = undefined;
  }

  /** Concurrent callers share one round of checks. */
  report(): Promise<HealthReport> {
    const now = Date.now();
    if (!this.cached || this.cached.expiresAt <= now) {
      this.cached = { report: this.run(), expiresAt: now + (this.options.cacheMs ?? 1_000) };
    }
    return this.cached.report;
  }

  private async run(): Promise<HealthReport> {
    const entries = [...this.checks];
    const results = await Promise.all(entries.map(([name, entry]) => this.passes(name, entry)));
    const checks = Object.fromEntries(
      entries.map(([name], index) => [name, results[index] ? ('ok' as const) : ('failed' as const)]),
    );
    return { status: this.statusOf(), checks };
  }

  private statusOf(): HealthReport['status'] {
    if (this.draining) return 'draining';
    const entries = [...this.checks.values()];
    if (entries.some((entry) => entry.awaitedUntil > Date.now())) return 'starting';
    if (entries.some((entry) => entry.critical && entry.failing)) return 'unavailable';
    return entries.some((entry) => entry.failing) ? 'degraded' : 'ok';
  }

  private async passes(name: string, entry: Registered): Promise<boolean> {
    const signal = AbortSignal.timeout(this.options.timeoutMs ?? 2_000);
    try {
      await Promise.race([entry.check(signal), rejectOnAbort(signal)]);
      if (entry.failing) this.options.logger?.info({ check: name }, 'Health check passes again');
      entry.awaitedUntil = 0;
      entry.failing = false;
    } catch (error) {
      // Once a change of state: probes come every few seconds for as long as a dependency is down.
      if (!entry.failing) this.options.logger?.warn({ check: name, error }, 'Health check fails');
      entry.failing = true;
    }
    checkFailing.set({ check: name }, entry.failing ? 1 : 0);
    return !entry.failing;
  }
}

function awaitedUntil({ startup = false }: HealthCheckOptions): number {
  if (typeof startup === 'object') return Date.now() + startup.atMostMs;
  return startup ? Infinity : 0;
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
}
