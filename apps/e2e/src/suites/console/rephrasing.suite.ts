import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { updateTenantRoute } from '@candor/contracts';
import { answerWith, type ScriptedModelServer, type ShownChunk } from '@candor/testkit';
import type { ConsoleBrowser } from '../../harness/console-browser.js';
import { findBarriers } from '../../harness/find-barriers.js';
import { ingestOne } from '../../harness/ingest.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUOTATIONS = ['freezes in January', 'The ferry stops then.'];

/** Answers of a model that finds words of its own, in a tenant that lets it. */
export function describeConsoleRephrasing(
  world: WorldOf,
  browser: () => ConsoleBrowser,
  model: () => ScriptedModelServer,
): void {
  describe('an answer in a model’s own words', () => {
    let page: Page;
    beforeAll(async () => {
      const { admin } = await createTenant(world(), 'Rephrasing');
      await admin.call(updateTenantRoute, { body: { externalModels: true } });
      await ingestOne(admin, {
        title: 'Harbor',
        body: 'The harbor of Kaldvik freezes in January. It was built in 1911. The ferry stops then.',
      });
      page = await browser().signIn(admin.key, '/ask');
    }, 60_000);
    afterEach(() => browser().expectNoProblems());
    const answer = () => page.getByRole('region', { name: 'Answer' });
    const ask = async (quotations: string[]): Promise<void> => {
      model().play(
        answerWith((chunks: ShownChunk[]) => {
          const chunkId = chunks.find(({ content }) => content.includes('Kaldvik'))?.chunkId ?? 'not shown';
          const references = quotations.map((quotation) => ({ chunkId, quotation }));
          return {
            statements: [{ text: 'There are no boats in winter.', references }],
            limitations: ['When the ice goes is not said.'],
          };
        }),
      );
      await page.getByLabel('Question').fill('When does the harbor of Kaldvik freeze?');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await answer().waitFor();
    };

    it('shows what a statement rests on, and marks exactly that in its source', async () => {
      await ask(QUOTATIONS);
      await answer().getByText('There are no boats in winter.').waitFor();
      expect(await answer().getByRole('blockquote').allTextContents()).toEqual(
        QUOTATIONS.map((quotation) => `“${quotation}”`),
      );
      const said = answer().getByRole('list', { name: 'What the sources say' }).getByRole('listitem');
      expect(await said.allTextContents()).toEqual(QUOTATIONS.map((quotation) => `“${quotation}”Source 1`));
      expect(await findBarriers(page)).toEqual([]);
      await answer().getByText('When the ice goes is not said.').waitFor();
      await answer().getByRole('button', { name: 'Harbor' }).click();
      const source = page.getByRole('complementary', { name: 'Source' });
      await source.locator('mark').first().waitFor();
      expect(await source.locator('mark').allTextContents()).toEqual(QUOTATIONS);
    });

    it('tells that nothing could be linked, with what the model said is missing', async () => {
      await ask(['freezes in February']);
      await answer().getByText('No answer: nothing could be linked to its source').waitFor();
      await answer().getByText('When the ice goes is not said.').waitFor();
      await answer()
        .getByText(/1 citation withheld/)
        .waitFor();
      expect(await page.getByText('There are no boats in winter.').count()).toBe(0);
    });
  });
}
