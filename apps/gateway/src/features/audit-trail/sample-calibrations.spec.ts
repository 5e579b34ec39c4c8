import { describe, expect, it } from '@jest/globals';
import type { Database } from '@candor/persistence';
import { processMetrics } from '@candor/runtime/metrics';
import { sampleCalibrations } from './sample-calibrations.js';

describe('candor_calibrations', () => {
  it('shows the growth alarm, and a zero for what there is none of', async () => {
    const rows = [
      { standing: 'outgrowing', count: 2 },
      { standing: 'certified', count: 5 },
    ];
    const database = { read: (work: (manager: unknown) => unknown) => work({ query: async () => rows }) };
    sampleCalibrations(database as unknown as Pick<Database, 'read'>);
    const lines = (await processMetrics().metrics())
      .split('\n')
      .filter((line) => line.startsWith('candor_calibrations{'));
    expect(lines.sort()).toEqual([
      'candor_calibrations{state="certified"} 5',
      'candor_calibrations{state="missing"} 0',
      'candor_calibrations{state="outgrowing"} 2',
      'candor_calibrations{state="stale"} 0',
      'candor_calibrations{state="uncertified"} 0',
    ]);
  });
});
