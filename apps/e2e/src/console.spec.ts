import { afterAll, beforeAll, describe } from '@jest/globals';
import { updateTenantRoute } from '@candor/contracts';
import { RunningProfile, ScriptedModelServer } from '@candor/testkit';
import { ConsoleBrowser } from './harness/console-browser.js';
import { describeProfile } from './harness/world.js';
import { describeConsoleAccess } from './suites/console/access.suite.js';
import { describeConsoleAccessibility } from './suites/console/accessibility.suite.js';
import { describeConsoleFailing } from './suites/console/failing.suite.js';
import { describeConsoleOperating } from './suites/console/operating.suite.js';
import { describeConsoleReading } from './suites/console/reading.suite.js';
import { describeConsoleRephrasing } from './suites/console/rephrasing.suite.js';
import { describeConsoleUploading } from './suites/console/uploading.suite.js';

const chromium = process.env['CANDOR_CHROMIUM'] ?? '';
if (chromium === '') console.warn('The console is not tested in a browser: CANDOR_CHROMIUM names none.');

function started<What>(what: What | undefined): What {
  if (what === undefined) throw new Error('it did not start');
  return what;
}

let model: ScriptedModelServer | undefined;

(chromium === '' ? describe.skip : describe)('console', () => {
  describeProfile(
    'in Chromium, on standalone',
    async () => {
      model = await ScriptedModelServer.start();
      const env = {
        // A source on loopback stands for Slack.
        CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true',
        LLM_BASE_URL: model.baseUrl,
        LLM_MODEL: 'scripted-1',
      };
      return { running: await RunningProfile.start('standalone', { env }), cleanUp: () => started(model).stop() };
    },
    (world) => {
      // Closed before the profile ends: an open page goes on asking.
      describe('browser', () => {
        let browser: ConsoleBrowser | undefined;
        beforeAll(async () => {
          // The demo is answered in its own sentences; a tenant that wants the model says so.
          await world().admin.call(updateTenantRoute, { body: { externalModels: false } });
          browser = await ConsoleBrowser.start(world(), chromium);
        }, 60_000);
        afterAll(() => browser?.stop());
        const opened = (): ConsoleBrowser => started(browser);
        describeConsoleReading(world, opened);
        describeConsoleRephrasing(world, opened, () => started(model));
        describeConsoleOperating(world, opened);
        describeConsoleUploading(world, opened);
        describeConsoleFailing(world, opened);
        describeConsoleAccess(world, opened);
        describeConsoleAccessibility(world, opened);
      });
    },
  );
});
