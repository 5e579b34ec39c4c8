import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import { findBarriers } from '../../harness/find-barriers.js';
import { createTenant } from '../../harness/tenants.js';
import { textFile } from '../../harness/text-file.js';
import type { WorldOf } from '../../harness/world.js';

const WAIT = { timeout: 60_000 };
const REFUSAL = { code: 503, type: 'DEPENDENCY.DATABASE_UNAVAILABLE', message: 'The database cannot be reached.' };

/** Many files at once, some of which fail and some of which are not wanted any more. */
export function describeConsoleUploading(world: WorldOf, browser: () => ConsoleBrowser): void {
  describe('uploading from the console', () => {
    let page: Page;
    beforeAll(async () => {
      const { admin } = await createTenant(world(), 'Uploading');
      page = await browser().signIn(admin.key, '/ingestions');
    });
    afterEach(() => browser().expectNoProblems());
    const upload = (name: string) =>
      page.getByRole('list', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    it('sends three at a time, cancels what is not wanted, and sends again what failed, as one document', async () => {
      const held: Route[] = [];
      const keys: (string | undefined)[] = [];
      let isHolding = true;
      await page.route('**/v1/documents', (route) => {
        keys.push(route.request().headers()['idempotency-key']);
        return isHolding ? void held.push(route) : route.continue();
      });
      const names = ['one.md', 'two.md', 'three.md', 'four.md', 'five.md'];
      await page.setInputFiles(
        'input[type=file]',
        names.map((name) => textFile(name, `${name} is about the lighthouse.`)),
      );
      await page.getByText('Sending').nth(2).waitFor();
      await page.getByText('Waiting for its turn').nth(1).waitFor();
      expect(held).toHaveLength(3);

      await button('Cancel five.md').click();
      await button('Cancel three.md').click();
      for (const name of ['five.md', 'three.md']) {
        await upload(name).getByText('cancelled', { exact: true }).waitFor();
        await upload(name).getByText('Cancelled before the server had answered.').waitFor();
      }
      await upload('four.md').getByText('Sending').waitFor();
      expect(await page.getByText('Something went wrong').count()).toBe(0);

      await held[0]?.fulfill({ status: 503, json: { error: { ...REFUSAL, details: null, requestId: '' } } });
      await upload('one.md')
        .getByText(/A part of the system is not available/)
        .waitFor();
      expect(await findBarriers(page)).toEqual([]);
      browser().forgive(/status of 503/);
      await button('Try again: one.md').click();
      await upload('one.md').getByText('Sending').waitFor();
      expect(keys).toHaveLength(5);
      expect(new Set(keys).size).toBe(4);
      expect(keys[4]).toBe(keys[0]);

      isHolding = false;
      for (const route of [held[1], held[3], held[4]]) await route?.continue();
      await button('Try again: three.md').click();
      for (const name of ['one.md', 'two.md', 'three.md', 'four.md'])
        await upload(name).getByText('searchable', { exact: true }).waitFor(WAIT);
      expect(await upload('five.md').getByText('cancelled', { exact: true }).count()).toBe(1);
    }, 240_000);
  });
}
