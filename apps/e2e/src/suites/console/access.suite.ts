import { afterEach, describe, expect, it } from '@jest/globals';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import { findBarriers } from '../../harness/find-barriers.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import { textFile } from '../../harness/text-file.js';
import type { WorldOf } from '../../harness/world.js';

const UNKNOWN = `gm_${'0'.repeat(16)}_${'0'.repeat(48)}`;

/** Who gets in, where the key is, what it may not do, and what the page may not do. */
export function describeConsoleAccess(world: WorldOf, browser: () => ConsoleBrowser): void {
  describe('access to the console', () => {
    afterEach(() => browser().expectNoProblems());

    it('refuses an unknown key plainly, and what is no key before anything is sent', async () => {
      const page = await browser().open();
      await browser().enterKey(page, 'hello');
      await page.getByText('A key looks like').waitFor();
      await browser().enterKey(page, UNKNOWN);
      await page.getByText('This key is not accepted').waitFor();
      browser().forgive(/status of 401/);
      await page.close();
    });

    it('keeps the key in memory alone, unless it is asked to keep it in the tab', async () => {
      const key = world().admin.key ?? '';
      const page = await browser().open('/keys');
      await browser().enterKey(page, key);
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      const stored = () =>
        page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
      expect(await stored()).not.toContain(key);
      await page.reload();
      await browser().enterKey(page, key, { keep: true });
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await stored()).not.toContain(key);
      await page.close();
    });

    it('shows what a key may not do as a fact, and asks nothing for it', async () => {
      const { key } = await createKey(world().admin, { allowedActions: ['search'] });
      const page = await browser().signIn(key);
      for (const screen of ['Ask', 'Context', 'Sources', 'Ingestions', 'Audit', 'Keys', 'Generations']) {
        await page.getByRole('link', { name: `${screen} no access` }).click();
        await page.getByText('This key may not see this').waitFor();
      }
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.close();
    });

    it('tells that the limit is used up, and when to try again', async () => {
      const { key } = await createKey(world().admin, { allowedActions: ['context'], rateLimitPerMinute: 1 });
      const page = await browser().signIn(key, '/context');
      await page.getByLabel('What to look for').fill('brand');
      for (const seen of [/found;/, 'Too many requests with this key']) {
        await page.getByRole('button', { name: 'Search' }).click();
        await page.getByText(seen).waitFor();
      }
      await page.getByText(/may make 1 "context" requests a minute\. Try again in (\d+ s|1 min)\./).waitFor();
      browser().forgive(/status of 429/);
      await page.close();
    });

    it('writes over plain http from another machine, too, and says what the browser refuses there', async () => {
      const { admin } = await createTenant(world(), 'Elsewhere');
      const page = await browser().openFromElsewhere('/ingestions');
      expect(await page.evaluate('[isSecureContext, typeof crypto.randomUUID]')).toEqual([false, 'undefined']);
      await browser().enterKey(page, admin.key ?? '');
      await page.setInputFiles('input[type=file]', textFile('elsewhere.md', 'The ferry of Kaldvik is blue.'));
      await page.getByRole('list', { name: 'Uploads' }).getByText('searchable', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('Elsewhere');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('button', { name: 'Copy: the secret' }).click();
      await page.getByRole('button', { name: 'Copy it by hand: the secret' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      browser().forgive(/Cross-Origin-Opener-Policy header has been ignored/);
      await page.close();
    });

    it('ends the session of a key that is revoked meanwhile, and says why', async () => {
      const issued = await createKey(world().admin, { allowedActions: ['context', 'ingest'] });
      const page = await browser().signIn(issued.key, '/ingestions');
      await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
      await world().admin.send('DELETE', `/v1/api-keys/${issued.id}`);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByText('The key is not accepted any more').waitFor();
      browser().forgive(/status of 401/);
      await page.close();
    });

    it('is served with a strict policy, and its files for as long as they are named so', async () => {
      const at = (path: string) => fetch(browser().addressOf(path));
      const pages = await Promise.all(['', '/ask', '/items/1?chunkId=2'].map(at));
      for (const page of pages) {
        expect(page.status).toBe(200);
        expect(page.headers.get('cache-control')).toBe('no-store');
        expect(page.headers.get('x-content-type-options')).toBe('nosniff');
        expect(page.headers.get('referrer-policy')).toBe('no-referrer');
        expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
        expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe/);
      }
      const html = await pages[0]!.text();
      expect(html).not.toMatch(/<script>|<style|style=|https?:\/\//);
      expect(html).not.toContain('__CSP_NONCE__');
      const script = /src="\/console(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
      const file = await at(script);
      expect(file.headers.get('cache-control')).toMatch(/immutable/);
      expect(file.headers.get('content-type')).toMatch(/^text\/javascript/);
      expect((await at('/assets/absent.js')).status).toBe(404);
      expect((await at('/%2e%2e/%2e%2e/package.json')).status).toBe(404);
    });
  });
}
