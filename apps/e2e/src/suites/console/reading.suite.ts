import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ingestOne } from '../../harness/ingest.js';
import { createTenant } from '../../harness/tenants.js';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import type { WorldOf } from '../../harness/world.js';

const BRAND = 'What did we decide about the brand color?';
const QUOTATION = 'We decided to keep the lime-green accent (#A3E635) as the brand color.';

/** Asking and retrieving over the demo workspace. */
export function describeConsoleReading(world: WorldOf, browser: () => ConsoleBrowser): void {
  describe('reading in the console', () => {
    let page: Page;
    beforeAll(async () => {
      page = await browser().signIn(world().admin.key, '/ask');
    });
    afterEach(() => browser().expectNoProblems());

    const ask = async (question: string): Promise<void> => {
      await page.getByRole('link', { name: 'Ask', exact: true }).click();
      await page.getByLabel('Question').fill(question);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
    };
    const answer = () => page.getByRole('region', { name: 'Answer' });
    /** What is marked, once something is. */
    const marks = async (within: Page | Locator): Promise<string[]> => {
      await within.locator('mark').first().waitFor();
      return within.locator('mark').allTextContents();
    };
    const source = () => page.getByRole('complementary', { name: 'Source' });

    it('shows an answer, and its quotation at its place in the source', async () => {
      await ask(BRAND);
      await answer().getByText(QUOTATION).waitFor();
      await answer().getByRole('button', { name: 'Brand decisions' }).click();
      expect(await marks(source())).toEqual([QUOTATION]);
      await source().getByText('Notion', { exact: true }).waitFor();
      for (const fact of ['Version', 'Author', 'Written', 'Freshness', 'Address'])
        expect(await source().getByText(fact, { exact: true }).count()).toBe(1);
      const link = source().getByRole('link', { name: /notion\.example/ });
      expect(await link.getAttribute('rel')).toContain('noopener');
    });

    it('opens the whole source at the same place, also from its address alone', async () => {
      await source().getByRole('link', { name: 'Open the whole source' }).click();
      await page.getByRole('heading', { name: 'Source', exact: true }).waitFor();
      expect(await marks(page)).toEqual([QUOTATION]);
      await page.reload();
      expect(await marks(page)).toEqual([QUOTATION]);
      await page
        .getByRole('button', { name: /^Read / })
        .first()
        .click();
      expect(await marks(page)).toEqual([QUOTATION]);
    });

    it('leads from an answer to its events, by the request id', async () => {
      await ask(BRAND);
      await answer().getByRole('link', { name: 'Audit of this request' }).click();
      const events = page.getByRole('list', { name: 'audit events' });
      await events.getByRole('heading', { name: 'reason.requested' }).waitFor();
      await events.getByRole('heading', { name: 'reason.answer' }).waitFor();
      expect(await events.getByText(BRAND).count()).toBeGreaterThan(0);
      expect(await events.getByText(QUOTATION).count()).toBe(0);
    });

    it('tells a refusal as one, with its reason', async () => {
      await ask('Who won the football match on Saturday?');
      await answer().getByText('No answer: nothing relevant was found').waitFor();
      expect(await answer().getByRole('button').count()).toBe(0);
      // Where nothing was found there is nothing that could agree.
      await page.waitForLoadState('networkidle');
      expect(await page.getByText(/disagree/i).count()).toBe(0);
    });

    it('shows both sides of a disagreement, each in its source', async () => {
      await ask('What is the API rate limit?');
      const both = page.getByRole('region', { name: 'Contradictions' });
      await both.getByText('“The public API rate limit is 100 requests per minute per API key.”').waitFor();
      await both.getByText('“The public API rate limit is 120 requests per minute per API key.”').waitFor();
      await both.getByRole('button', { name: 'Questions about your API' }).click();
      expect(await marks(source())).toEqual(['The public API rate limit is 120 requests per minute per API key.']);
      await source().getByRole('button', { name: 'Close' }).click();
      expect(await source().count()).toBe(0);
    });

    it('cancels a question under way', async () => {
      await page.route('**/v1/reason', () => new Promise(() => undefined));
      await ask(BRAND);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Cancelled. Nothing was answered.').waitFor();
      await page.unrouteAll();
    });

    it('shows a contract as hits, what was left out and why, and how it came about', async () => {
      await page.getByRole('link', { name: 'Context' }).click();
      await page.getByLabel('What to look for').fill('brand color');
      await page.getByText('Filters and order').click();
      await page.getByText('Gmail', { exact: true }).click();
      await page.getByRole('button', { name: 'Search' }).click();
      const hits = page.getByRole('region', { name: 'Hits' });
      await hits.getByRole('heading', { name: /Brand decisions/ }).waitFor();
      expect(await hits.getByText('Score').count()).toBeGreaterThan(0);
      const left = page.getByRole('region', { name: 'Left out' });
      expect(await left.getByText('Not relevant enough').count()).toBeGreaterThan(0);
      await page.getByRole('region', { name: 'How it came about' }).getByText('Passages compared').waitFor();
      await hits.getByRole('button', { name: 'Read it in its source' }).first().click();
      expect((await marks(source()))[0]).toContain('lime-green');
    });

    it('goes back in time, and searches without the envelope', async () => {
      await page.getByLabel('As known at').fill('2020-01-01T00:00');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText(/^Nothing relevant was found;/).waitFor();
      await page.getByText('Not known at that time').first().waitFor();
      await page.getByLabel('As known at').fill('');
      await page.getByText('Say what was left out and why').click();
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('list', { name: 'Hits' }).getByRole('link', { name: 'Open the source' }).first().waitFor();
    });

    it('shows hostile text as text', async () => {
      const { admin } = await createTenant(world(), 'Hostile console');
      const hostile = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>';
      await ingestOne(admin, {
        title: `Stove ${hostile}`,
        body: `The stove of Kaldvik burns birch. ${hostile}`,
        url: 'https://kaldvik.example/"><script>globalThis.pwned=1</script>',
      });
      const other = await browser().signIn(admin.key, '/ask');
      await other.getByLabel('Question').fill('What does the stove of Kaldvik burn?');
      await other.getByRole('button', { name: 'Ask', exact: true }).click();
      await other
        .getByRole('region', { name: 'Answer' })
        .getByRole('button', { name: /Stove <img/ })
        .first()
        .click();
      await other.locator('mark').first().waitFor();
      expect(await other.evaluate('globalThis.pwned')).toBeUndefined();
      await other.close();
    });
  });
}
