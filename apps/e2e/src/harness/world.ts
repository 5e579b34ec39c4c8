import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, findStandaloneDatabase, type ProfileName, type RunningProfile } from '@candor/testkit';

/** One running installation, as a suite sees it. */
export interface World {
  profile: ProfileName;
  running: RunningProfile;
  url: string;
  /** The installation's first key, in the default tenant, which holds the demo workspace. */
  admin: ApiClient;
  anonymous: ApiClient;
  /** What it keeps its state in. */
  stores: Stores;
}

export interface Stores {
  databaseUrl: string;
  /** null = the queue is in Postgres. */
  redisUrl: string | null;
  /** Undefined = the index is LanceDB, or nothing is known of it. */
  elasticsearchUrl?: string;
}

/** Suites are described before the world is there. */
export type WorldOf = () => World;

export interface StartedProfile {
  running: RunningProfile;
  /** Default: those that the standalone profile starts itself. */
  stores?: Stores;
  /** After the profile has ended: what its start needed besides. */
  cleanUp?: () => Promise<void>;
}

/** Runs the suites over one start of a profile, and checks that it ends without a trace. */
export function describeProfile(
  name: string,
  start: () => Promise<StartedProfile>,
  describeSuites: (world: WorldOf) => void,
): void {
  describe(name, () => {
    let started: StartedProfile | undefined;
    let world: World | undefined;

    beforeAll(async () => {
      started = await start();
      world = await openWorld(started.running, started.stores);
    }, 300_000);

    afterAll(async () => {
      await started?.running.stop();
      await started?.cleanUp?.();
    }, 120_000);

    describeSuites(() => {
      if (!world) throw new Error('the profile did not start');
      return world;
    });

    // The last one on purpose: it ends the profile.
    it('ends on SIGTERM and leaves nothing running', async () => {
      const running = started?.running;
      if (!running) throw new Error('the profile did not start');
      expect(running.hasExited).toBe(false);
      const { exitCode, leftovers } = await running.stop();
      expect(leftovers).toEqual([]);
      expect(exitCode).toBe(0);
      await expect(fetch(`${running.url}/healthz`)).rejects.toThrow();
    }, 90_000);
  });
}

export async function openWorld(running: RunningProfile, stores?: Stores): Promise<World> {
  return {
    profile: running.profile,
    running,
    url: running.url,
    admin: new ApiClient(running.url, await running.readAdminKey()),
    anonymous: new ApiClient(running.url, null),
    stores: stores ?? (await standaloneStores(running)),
  };
}

/** Nothing is known of servers that a launcher of the distributed profile started by itself. */
async function standaloneStores({ profile, dataDir }: RunningProfile): Promise<Stores> {
  const databaseUrl = profile === 'standalone' ? await findStandaloneDatabase(dataDir) : '';
  return { databaseUrl, redisUrl: null };
}
