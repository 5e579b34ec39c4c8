import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { ApiClient } from '@candor/testkit';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import { findBarriers } from '../../harness/find-barriers.js';
import { ingestOne } from '../../harness/ingest.js';
import { SlackWorkspace, WORKSPACE_TOKEN } from '../../harness/slack-workspace.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const WAIT = { timeout: 60_000 };
/** Several such waits in a row. */
const LONG = 240_000;

/** What platform engineers, data owners and compliance officers do, in a tenant of their own. */
export function describeConsoleOperating(world: WorldOf, browser: () => ConsoleBrowser): void {
  describe('operating from the console', () => {
    let page: Page;
    let admin: ApiClient;
    beforeAll(async () => {
      ({ admin } = await createTenant(world(), 'Console'));
      await ingestOne(admin, { title: 'Sauna', body: 'The sauna of Kaldvik is heated on Fridays.' });
      page = await browser().signIn(admin.key, '/ingestions');
    });
    afterEach(() => browser().expectNoProblems());
    /** The server waits for a provider for so long only, and answers before the check is over. */
    const followSlowCheck = async (source: Locator): Promise<void> => {
      const pending = { status: 'pending', account: null, error: null, checkedAt: null };
      await page.route('**/v1/sources/*/check', async (route) => {
        await route.fetch();
        await route.fulfill({ json: { data: pending } });
      });
      await page.route('**/v1/sources?*', async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = (await response.json()) as { data: object[] };
        await route.fulfill({ response, json: { ...rest, data: data.map((one) => ({ ...one, lastCheck: pending })) } });
      });
      await source.getByRole('button', { name: 'Check the credentials' }).click();
      await source.getByText('Still being checked').waitFor();
      await source.getByText('being checked', { exact: true }).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await source.getByText('The credentials work, for ').waitFor();
    };
    const go = (screen: string) => page.getByRole('link', { name: screen, exact: true }).click();
    const confirm = (name: string) => page.getByRole('alertdialog').getByRole('button', { name }).click();

    it(
      'uploads a file, stage by stage until it can be found',
      async () => {
        const name = 'stove.md';
        await page.setInputFiles('input[type=file]', {
          name,
          mimeType: 'text/markdown',
          buffer: Buffer.from('# Stove\n\nThe stove of Kaldvik burns birch wood.'),
        });
        const upload = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });
        await upload.getByText('searchable', { exact: true }).waitFor(WAIT);
        await upload.getByRole('link', { name: 'Open it' }).click();
        await page.getByText('The stove of Kaldvik burns birch wood.').waitFor();
      },
      LONG,
    );

    it(
      'shows why a file could not be read, and puts its dead letter back to work',
      async () => {
        await go('Ingestions');
        await page.setInputFiles('input[type=file]', {
          name: 'broken.pdf',
          mimeType: 'application/pdf',
          buffer: Buffer.from('%PDF-1.7\nnothing of a PDF follows\n%%EOF'),
        });
        await page.getByText('It could not be read').waitFor(WAIT);
        const letter = page.getByRole('list', { name: 'dead letters' }).getByRole('listitem').first();
        await letter.getByText(/EXTRACT\./).waitFor(WAIT);
        expect(await findBarriers(page)).toEqual([]);
        await letter.getByRole('button', { name: /^Try again/ }).click();
        await page
          .getByRole('list', { name: 'dead letters' })
          .getByText(/tried again/)
          .first()
          .waitFor(WAIT);
      },
      LONG,
    );

    it('creates a key, whose secret is shown once and works, and revokes it', async () => {
      await go('Keys');
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('Reader');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      const key = (await page.getByTestId('secret').textContent()) ?? '';
      expect(key).toMatch(/^gm_/);
      const me = () => world().anonymous.withKey(key).send('GET', '/v1/user/me');
      expect((await me()).status).toBe(200);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'I have copied it' }).click();
      expect(await page.getByText(key).count()).toBe(0);
      const entry = page.getByRole('listitem').filter({ hasText: 'Reader' });
      await entry.getByRole('button', { name: 'Revoke Reader' }).click();
      await confirm('Revoke it');
      await entry.getByText('revoked', { exact: true }).waitFor();
      expect((await me()).status).toBe(401);
    });

    it('refuses a key without a name before anything is sent, at its field', async () => {
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('Give it a name').waitFor();
      expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
      await page.locator('input:focus[aria-invalid=true]').waitFor();
      await page.keyboard.press('Escape');
    });

    it(
      'builds a generation, tells why a second one is refused, promotes it and rolls back',
      async () => {
        await go('Generations');
        const build = async () => {
          await page.getByRole('button', { name: 'Build a generation' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Build', exact: true }).click();
        };
        await build();
        await page.getByText('ready', { exact: true }).waitFor(WAIT);
        await build();
        await page.getByRole('dialog').getByText('Promote or retire it first').waitFor();
        browser().forgive(/status of 409/);
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'Promote' }).click();
        await confirm('Promote it');
        await page.getByRole('button', { name: 'Roll back to it' }).click(WAIT);
        await confirm('Roll back');
        const live = page.getByRole('listitem').filter({ has: page.getByText('live', { exact: true }) });
        await live.getByRole('heading', { name: /-1$/ }).waitFor(WAIT);
      },
      LONG,
    );

    it(
      'connects a source, shows its sync, and removes it with all of its items',
      async () => {
        const workspace = await SlackWorkspace.start();
        try {
          workspace.channels.push({
            id: 'C1',
            name: 'general',
            isPrivate: false,
            members: ['U1', 'U2'],
            messages: [{ ts: '1767225600.000100', user: 'U1', text: 'The boat of Kaldvik leaves at nine.' }],
          });
          workspace.hold();
          await go('Sources');
          await page.getByRole('button', { name: 'Connect a source' }).click();
          await page.getByLabel('Name').fill('Kaldvik');
          await page.getByLabel('Bot token').fill(WORKSPACE_TOKEN);
          await page.getByLabel('Other API address').fill(workspace.baseUrl);
          await page.getByLabel('Sync every').fill('');
          await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
          const source = page
            .getByRole('list', { name: 'sources' })
            .getByRole('listitem')
            .filter({ hasText: 'Kaldvik' });
          await source.getByRole('button', { name: 'Sync now' }).click();
          const runs = page.getByRole('list', { name: 'sync runs' });
          await runs.getByText('running', { exact: true }).waitFor(WAIT);
          workspace.resume();
          await runs.getByText('succeeded', { exact: true }).waitFor(WAIT);
          await source.getByRole('button', { name: 'Check the credentials' }).click();
          await source.getByText('The credentials work, for ').waitFor(WAIT);
          await followSlowCheck(source);
          await source.getByRole('button', { name: 'Remove' }).click();
          await confirm('Remove it and its items');
          await page.getByText('No source is connected.').waitFor(WAIT);
        } finally {
          await workspace.stop();
        }
      },
      LONG,
    );

    it(
      'says how far the trail is sealed, and verifies it',
      async () => {
        await go('Audit');
        const chain = page.getByRole('region', { name: 'The chain' });
        await chain.getByText(/in a signed chain/).waitFor(WAIT);
        await chain.getByRole('button', { name: 'Verify it now' }).click();
        await chain.getByText('Verified: nothing was altered').waitFor(WAIT);
      },
      LONG,
    );

    it('says when the trail is not sealed any more, and what to do', async () => {
      await page.route('**/v1/audit-events/chain', async (route) => {
        const response = await route.fetch();
        const { data } = (await response.json()) as { data: object };
        const broken = { ...data, brokenSince: '2026-01-02T03:04:05.000Z', sealedEvents: 12, unsealedEvents: 3 };
        await route.fulfill({ response, json: { data: broken } });
      });
      await page.reload();
      const chain = page.getByRole('region', { name: 'The chain' });
      const notice = chain.getByRole('alert');
      await notice.getByText('The chain is broken').waitFor();
      expect(await notice.textContent()).toMatch(/not continued since 2 Jan 2026, .*Verify it .*CANDOR_AUDIT_KEYS/);
      await chain.getByText('which is not continued: nothing protects 3 events after it.').waitFor();
      expect(await chain.getByText(/so young/).count()).toBe(0);
      expect(await findBarriers(page)).toEqual([]);
      await page.unrouteAll({ behavior: 'wait' });
    });

    it('shows health, latencies and the queue in numbers and lines', async () => {
      for (const query of ['sauna', 'stove', 'boat']) await admin.post('/v1/search', { query });
      await go('Overview');
      const latency = page.getByRole('region', { name: 'Retrieval latency' });
      await latency
        .getByRole('img', { name: /of the last 3 searches: median [\d.]+ m?s, 95 percent within/ })
        .waitFor();
      expect(await latency.locator('dd').allTextContents()).toEqual([
        expect.stringMatching(/^[\d.]+ m?s$/),
        expect.stringMatching(/^[\d.]+ m?s$/),
      ]);
      await page.getByText('Everything works', { exact: true }).waitFor();
      await page.getByRole('region', { name: 'Queue depth' }).getByRole('img').waitFor();
      await page.getByText('Database: works').waitFor();
    });
  });
}
