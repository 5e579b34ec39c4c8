import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Registry } from 'prom-client';
import { Operational } from '../http/contract.decorator.js';
import { HealthRegistry, type HealthReport } from './health-registry.js';

export const METRICS_REGISTRY = Symbol('MetricsRegistry');

/** For the operator's probes, outside of the API: no key, no audit. */
@Operational()
@Controller()
export class HealthController {
  constructor(
    @Inject(HealthRegistry) private readonly health: HealthRegistry,
    @Inject(METRICS_REGISTRY) private readonly metrics: Registry,
  ) {}

  /** The process lives. Dependencies are no reason to restart it. */
  @Get('healthz')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthReport> {
    const report = await this.health.report();
    response.status(report.status === 'ok' || report.status === 'degraded' ? 200 : 503);
    return report;
  }

  @Get('metrics')
  async scrape(@Res() response: Response): Promise<void> {
    const text = await this.metrics.metrics();
    response.setHeader('Content-Type', this.metrics.contentType);
    response.end(text);
  }
}
