import { CALIBRATION_GROWTH_ALARM } from '@candor/contracts';
import { CALIBRATION_STANDINGS, countCalibrationStandings, type Database } from '@candor/persistence';
import { sampleAtScrape } from '@candor/runtime/metrics';

/** Two numbers of each generation; they change with the corpus. */
const CACHE_MS = 60_000;

/** How many tenants strict reasoning answers, and how many it will soon abstain for: `outgrowing` is the growth alarm. */
export function sampleCalibrations(database: Pick<Database, 'read'>): void {
  sampleAtScrape({
    name: 'candor_calibrations',
    help: 'Live generations by what holds of their newest calibration; outgrowing = four fifths of the growth it allows are used up.',
    labels: ['state'],
    cacheMs: CACHE_MS,
    read: async () => {
      const counts = await database.read((manager) => countCalibrationStandings(manager, CALIBRATION_GROWTH_ALARM));
      return CALIBRATION_STANDINGS.map((state) => ({ labels: { state }, value: counts.get(state) ?? 0 }));
    },
  });
}
