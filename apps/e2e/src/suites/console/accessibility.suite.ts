import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import { findBarriers } from '../../harness/find-barriers.js';
import type { WorldOf } from '../../harness/world.js';

const SCREENS = ['Overview', 'Ask', 'Context', 'Sources', 'Ingestions', 'Audit', 'Keys', 'Generations'];
const WIDTHS = [1440, 360];
const THEMES = ['light', 'dark'] as const;

/** Every screen for everybody: by keyboard, by screen reader, in both themes, on a phone. */
export function describeConsoleAccessibility(world: WorldOf, browser: () => ConsoleBrowser): void {
  describe('the console for everybody', () => {
    let page: Page;
    beforeAll(async () => {
      page = await browser().signIn(world().admin.key);
    });
    afterEach(() => browser().expectNoProblems());

    /** In each theme and width: no barrier, and nothing that has to be scrolled sideways. */
    const look = async (at: Page): Promise<string[]> => {
      const found: string[] = [];
      for (const width of WIDTHS) {
        await at.setViewportSize({ width, height: 900 });
        if (await at.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'))
          found.push(`wider than ${width}`);
        for (const colorScheme of THEMES) {
          await at.emulateMedia({ colorScheme });
          await at.locator(`:root[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
          for (const barrier of await findBarriers(at)) found.push(`${width} ${colorScheme} ${barrier}`);
        }
      }
      await at.setViewportSize({ width: WIDTHS[0]!, height: 900 });
      return found;
    };

    it('has no barrier at the door', async () => {
      const door = await browser().open();
      await door.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await look(door)).toEqual([]);
      await door.close();
    }, 60_000);

    it.each(SCREENS)(
      'has no barrier on %s',
      async (screen) => {
        await page.getByRole('link', { name: screen, exact: true }).click();
        await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        if (screen === 'Ask') {
          await page.getByLabel('Question').fill('What is the API rate limit?');
          await page.getByRole('button', { name: 'Ask', exact: true }).click();
          await page.getByRole('region', { name: 'Contradictions' }).waitFor();
          await page.getByRole('button', { name: 'Questions about your API' }).first().click();
          await page.locator('mark').first().waitFor();
        }
        if (screen === 'Context') {
          await page.getByLabel('What to look for').fill('brand color');
          await page.getByText('Filters and order').click();
          await page.getByRole('button', { name: 'Search' }).click();
          await page.getByRole('region', { name: 'Left out' }).waitFor();
        }
        expect(await look(page)).toEqual([]);
      },
      90_000,
    );

    it('has no barrier in its forms', async () => {
      for (const [screen, opener] of [
        ['Keys', 'Create a key'],
        ['Sources', 'Connect a source'],
        ['Generations', 'Build a generation'],
      ] as const) {
        await page.getByRole('link', { name: screen, exact: true }).click();
        await page.getByRole('button', { name: opener }).click();
        await page.getByRole('dialog').waitFor();
        expect(await look(page)).toEqual([]);
        await page.keyboard.press('Escape');
      }
    }, 90_000);

    it('takes the theme that somebody chooses over the system’s', async () => {
      const theme = (name: string) => page.locator(`:root[data-theme=${name}]`).waitFor({ state: 'attached' });
      await page.emulateMedia({ colorScheme: 'light' });
      await theme('light');
      await page.getByLabel('Theme').selectOption('Dark');
      await theme('dark');
      await page.getByLabel('Theme').selectOption('Like the system');
      await theme('light');
    });

    it('is used by keyboard alone, from the door to a quotation and back', async () => {
      const keys = await browser().open('/ask');
      const press = async (...names: string[]): Promise<void> => {
        for (const name of names) await keys.keyboard.press(name);
      };
      const focused = () => keys.evaluate('document.activeElement.innerText || document.activeElement.id');
      const tabTo = async (wanted: RegExp): Promise<void> => {
        for (let presses = 0; presses < 40; presses++) {
          await press('Tab');
          if (wanted.test(String(await focused()))) return;
        }
        throw new Error(`the Tab key does not lead to ${wanted}`);
      };
      await keys.getByLabel('API key').waitFor();
      await press('Tab');
      await keys.keyboard.insertText(world().admin.key ?? '');
      await press('Enter');
      await keys.getByRole('heading', { name: 'Ask' }).waitFor();
      await keys.evaluate('document.activeElement.blur()');
      await press('Tab');
      expect(await focused()).toMatch(/Skip to the content/);
      await press('Enter', 'Tab');
      await keys.keyboard.insertText('What did we decide about the brand color?');
      await press('Control+Enter');
      await keys.getByRole('region', { name: 'Answer' }).waitFor();
      await tabTo(/Brand decisions/);
      await press('Enter');
      await keys.locator('mark').waitFor();
      expect(await focused()).toMatch(/In the source/);
      await tabTo(/Close/);
      await press('Enter');
      expect(await focused()).toMatch(/Brand decisions/);
      await keys.close();
    }, 60_000);
  });
}
