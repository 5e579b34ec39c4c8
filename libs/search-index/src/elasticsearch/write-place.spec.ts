import { describe, expect, it } from '@jest/globals';
import { WritePlace } from './write-place.js';

describe('WritePlace', () => {
  const steps = (): { place: WritePlace; log: string[]; turn: () => Promise<void> } => {
    const log: string[] = [];
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    // A clock that stands still: no rest.
    const place = new WritePlace(
      async () => {
        log.push('refresh');
        await turn();
        log.push('refreshed');
      },
      () => 0,
    );
    return { place, log, turn };
  };

  it('writes one after the other, also after a failure', async () => {
    const { place, log, turn } = steps();
    const first = place.write(async () => {
      log.push('a');
      await turn();
      throw new Error('failed');
    });
    const second = place.write(async () => log.push('b'));
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(log).toEqual(['a', 'b']);
  });

  it('says what is visible: nothing at first, all after a refresh, not what was written since it began', async () => {
    const { place } = steps();
    const visible: boolean[] = [];
    const look = (): Promise<void> => place.write(async (isVisible) => void visible.push(isVisible));
    await look();
    await place.refresh();
    await look();
    const refreshing = place.refresh();
    await refreshing;
    await look();
    await look();
    expect(visible).toEqual([false, true, true, false]);
  });

  it('takes nothing for visible that was written after a refresh began, not even by the work that asked for it', async () => {
    const { place, turn } = steps();
    const visible: boolean[] = [];
    await place.write(async () => {
      await place.refresh();
      await turn();
    });
    await place
      .write(async (isVisible) => {
        visible.push(isVisible);
        const during = place.refresh();
        await during;
        await turn();
        throw new Error('half of it was written');
      })
      .catch(() => undefined);
    await place.write(async (isVisible) => void visible.push(isVisible));
    await place.refresh();
    await place.write(async (isVisible) => void visible.push(isVisible));
    expect(visible).toEqual([false, false, true]);
  });

  it('rests after a refresh, longer after a slow one, and lets those who come meanwhile share the next', async () => {
    const clock = { now: 0 };
    let refreshes = 0;
    const place = new WritePlace(
      async () => {
        refreshes += 1;
        clock.now += 60_000;
      },
      () => clock.now,
    );
    await place.refresh();
    const resting = [place.refresh(), place.refresh()];
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(refreshes).toBe(1);
    await Promise.all([...resting, place.refresh({ urgent: true })]);
    expect(refreshes).toBe(2);
    clock.now += 1_000;
    await place.refresh();
    expect(refreshes).toBe(3);
  });

  it('takes no rest for an urgent call that came while another refresh was under way', async () => {
    const clock = { now: 0 };
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    let begun = 0;
    const place = new WritePlace(
      async () => {
        begun += 1;
        await turn();
        await turn();
        clock.now += 60_000;
      },
      () => clock.now,
    );
    const slow = place.refresh();
    while (begun === 0) await turn();
    const urgent = place.refresh({ urgent: true });
    await slow;
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(begun).toBe(2);
    await urgent;
    const calm = place.refresh();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(begun).toBe(2);
    await Promise.all([calm, place.refresh({ urgent: true })]);
  });

  it('shares a refresh between those who wait, but not with who wrote after it began', async () => {
    const { place, log, turn } = steps();
    const first = place.refresh();
    while (log.length === 0) await turn();
    expect(log).toEqual(['refresh']);
    const others = [place.refresh(), place.refresh()];
    await Promise.all([first, ...others]);
    expect(log).toEqual(['refresh', 'refreshed', 'refresh', 'refreshed']);
  });
});
