import { Module, type DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { processMetrics } from '../metrics/process-metrics.js';
import { HealthController, METRICS_REGISTRY } from './health.controller.js';
import { HealthRegistry } from './health-registry.js';

export interface HealthModuleOptions {
  registry: HealthRegistry;
  /** Default: the process's registry. */
  metrics?: Registry;
}

/** `/healthz`, `/readyz` and `/metrics`; exports the HealthRegistry for modules that add checks. */
@Module({})
export class HealthModule {
  static forRoot({ registry, metrics }: HealthModuleOptions): DynamicModule {
    return {
      module: HealthModule,
      global: true,
      controllers: [HealthController],
      providers: [
        { provide: HealthRegistry, useValue: registry },
        { provide: METRICS_REGISTRY, useValue: metrics ?? processMetrics() },
      ],
      exports: [HealthRegistry],
    };
  }
}
