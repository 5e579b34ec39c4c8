import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningProfile } from '@candor/testkit';
import { ConsoleBrowser } from './harness/console-browser.js';
import { describeProfile } from './harness/world.js';
import { describeConsoleAccess } from './suites/console/access.suite.js';
import { describeConsoleAccessibility } from './suites/console/accessibility.suite.js';
import { describeConsoleOperating } from './suites/console/operating.suite.js';
import { describeConsoleReading } from './suites/console/reading.suite.js';

const chromium = process.env['CANDOR_CHROMIUM'] ?? '';
if (chromium === '') console.warn('The console is not tested in a browser: CANDOR_CHROMIUM names none.');

// A source on loopback stands for Slack.
const env = { CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' };

(chromium === '' ? describe.skip : describe)('console', () => {
  describeProfile(
    'in Chromium, on standalone',
    async () => ({ running: await RunningProfile.start('standalone', { env }) }),
    (world) => {
      // Closed before the profile ends: an open page goes on asking.
      describe('browser', () => {
        let browser: ConsoleBrowser | undefined;
        beforeAll(async () => {
          browser = await ConsoleBrowser.start(world(), chromium);
        }, 60_000);
        afterAll(() => browser?.stop());
        const started = (): ConsoleBrowser => {
          if (!browser) throw new Error('the browser did not start');
          return browser;
        };
        describeConsoleReading(world, started);
        describeConsoleOperating(world, started);
        describeConsoleAccess(world, started);
        describeConsoleAccessibility(world, started);
      });
    },
  );
});
