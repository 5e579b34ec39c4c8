import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import { findBarriers } from '../../harness/find-barriers.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** What each screen asks the API for, in the words in which it says that it waits for it. */
const SCREENS: [string, string[]][] = [
  ['Overview', ['timings', 'the queue', 'its limits']],
  ['Sources', ['sources', 'sync runs']],
  ['Ingestions', ['ingest requests', 'dead letters']],
  ['Audit', ['the state of the chain', 'audit events']],
  ['Keys', ['API keys']],
  ['Generations', ['generations']],
];
const REFUSAL = { code: 503, type: 'DEPENDENCY.DATABASE_UNAVAILABLE', message: 'The database cannot be reached.' };
/** Longer than the page pauses before it tries again. */
const PAUSE_MS = 2_500;

type Answer = (route: Route) => unknown;

const goThrough: Answer = (route) => route.continue();
const refuse: Answer = (route) =>
  route.fulfill({
    status: 503,
    headers: { 'retry-after': '90' },
    json: { error: { ...REFUSAL, details: null, requestId: '' } },
  });
const hangUp: Answer = (route) => route.abort();

/** Every list while it loads, when the server refuses, and when nobody answers. */
export function describeConsoleFailing(world: WorldOf, browser: () => ConsoleBrowser): void {
  describe('the console while the gateway fails', () => {
    let page: Page;
    const answers: Record<'api' | 'health', Answer> = { api: goThrough, health: goThrough };
    beforeAll(async () => {
      const { admin } = await createTenant(world(), 'Failing');
      page = await browser().signIn(admin.key, '/context');
      await page.clock.install();
      await page.route('**/v1/**', (route) => answers.api(route));
      await page.route('**/readyz', (route) => answers.health(route));
    });
    afterEach(() => {
      Object.assign(answers, { api: goThrough, health: goThrough });
      browser().forgive(/status of 503|ERR_FAILED/);
      browser().expectNoProblems();
    });

    const go = (screen: string) => page.getByRole('link', { name: screen, exact: true }).click();
    const comeBackTo = async (screen: string): Promise<void> => {
      await go('Context');
      await go(screen);
    };
    const alerts = () => page.getByRole('main').getByRole('alert');
    /** What may pass is tried again before the page tells of it. */
    const readAlerts = async (count: number): Promise<string[]> => {
      const last = alerts().nth(count - 1);
      for (let tries = 0; tries < 20 && !(await last.isVisible()); tries += 1) {
        await page.clock.fastForward(PAUSE_MS);
        await page.waitForTimeout(50);
      }
      await last.waitFor();
      expect(await page.getByText('Loading').count()).toBe(0);
      expect(await findBarriers(page)).toEqual([]);
      return alerts().allTextContents();
    };

    it.each(SCREENS)('shows that %s loads, why it could not, and what is there once it can', async (screen, lists) => {
      const held: Route[] = [];
      answers.api = (route) => held.push(route);
      await go(screen);
      for (const what of lists) await page.getByText(`Loading ${what} …`).waitFor();
      expect(await findBarriers(page)).toEqual([]);

      answers.api = refuse;
      await Promise.all(held.map(refuse));
      for (const text of await readAlerts(lists.length))
        expect(text).toMatch(/^A part of the system is not available.*cannot be reached\. Try again in 1 min 30 s\./);

      Object.assign(answers, { api: hangUp, health: hangUp });
      await comeBackTo(screen);
      for (const text of await readAlerts(lists.length + (screen === 'Overview' ? 1 : 0)))
        expect(text).toMatch(/^The gateway cannot be reached/);

      Object.assign(answers, { api: goThrough, health: goThrough });
      const again = page.getByRole('button', { name: 'Try again' });
      // One may be gone by the time it is pressed: some screens ask again by themselves.
      while ((await again.count()) > 0)
        await again
          .first()
          .click({ timeout: 2_000 })
          .catch(() => undefined);
      await comeBackTo(screen);
      await alerts().first().waitFor({ state: 'detached' });
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
    });
  });
}
