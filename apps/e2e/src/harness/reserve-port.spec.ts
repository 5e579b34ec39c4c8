import { expect, it } from '@jest/globals';
import { reservePort } from './reserve-port.js';

it('never reserves a port twice, also for those who ask at the same time', async () => {
  const ports = await Promise.all(Array.from({ length: 600 }, () => reservePort()));
  expect(new Set(ports).size).toBe(600);
});
