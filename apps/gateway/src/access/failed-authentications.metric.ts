import { Counter } from 'prom-client';
import { processMetrics } from '@candor/runtime';

/** Failed authentications are counted, not written one by one: an attacker must not fill the audit trail. */
const failedAuthentications = new Counter({
  name: 'candor_failed_authentications_total',
  help: 'Requests refused for want of a valid API key.',
  labelNames: ['reason'],
  registers: [processMetrics()],
});

export function countFailedAuthentication(reason: string): void {
  failedAuthentications.inc({ reason });
}
