import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import type { World } from './world.js';

/** A name of the gateway's machine as others know it: over plain http, a page from there is in no secure context. */
const OTHER_NAME = 'candor.test';
/** The machine has no display, and the tests may run as root. Nothing but the page itself may talk to anybody. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`,
];

/** A real browser in front of the console, which notes everything that a page must not do. */
export class ConsoleBrowser {
  /** Errors of scripts, refusals by the page's policy, failed loads, requests to elsewhere, keys in addresses. */
  private problems: string[] = [];
  private readonly secrets = new Set<string>();

  private constructor(
    private readonly world: World,
    private readonly context: BrowserContext,
    private readonly profile: string,
  ) {}

  static async start(world: World, executablePath: string): Promise<ConsoleBrowser> {
    const profile = await mkdtemp(join(tmpdir(), 'candor-chromium-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      args: FLAGS,
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      colorScheme: 'light',
    });
    const browser = new ConsoleBrowser(world, context, profile);
    context.setDefaultTimeout(30_000);
    return browser;
  }

  async stop(): Promise<void> {
    await this.context.close();
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  /** A new tab on the sign-in page, or on `path`, where the sign-in page stands first. */
  open(path = ''): Promise<Page> {
    return this.visit(this.addressOf(path));
  }

  /** As from another machine, over plain http. */
  openFromElsewhere(path: string): Promise<Page> {
    return this.visit(`${this.otherOrigin}/console${path}`);
  }

  /** A new tab of somebody who has signed in and keeps the key in it, at a screen. */
  async signIn(key: string | null, path = ''): Promise<Page> {
    if (key === null) throw new Error('the client has no key');
    const page = await this.open(path);
    await this.enterKey(page, key, { keep: true });
    await page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'attached' });
    return page;
  }

  async enterKey(page: Page, key: string, { keep = false } = {}): Promise<void> {
    this.secrets.add(key);
    await page.getByLabel('API key').fill(key);
    if (keep) await page.getByText('Keep it until I close this tab').click();
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  addressOf(path: string): string {
    return `${this.world.url}/console${path}`;
  }

  /** Takes what happened so far for good where a test has provoked it; anything else stays. */
  forgive(pattern: RegExp): void {
    this.problems = this.problems.filter((problem) => !pattern.test(problem));
  }

  expectNoProblems(): void {
    const found = this.problems;
    this.problems = [];
    expect(found).toEqual([]);
  }

  private get otherOrigin(): string {
    return `http://${OTHER_NAME}:${new URL(this.world.url).port}`;
  }

  private async visit(address: string): Promise<Page> {
    const page = await this.context.newPage();
    this.watch(page);
    await page.goto(address);
    return page;
  }

  private watch(page: Page): void {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.note(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.note(`script: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (![this.world.url, this.otherOrigin].includes(new URL(url).origin)) this.note(`elsewhere: ${url}`);
      for (const secret of this.secrets) if (decodeURIComponent(url).includes(secret)) this.note(`key in ${url}`);
    });
  }

  private note(problem: string): void {
    this.problems.push(problem);
  }
}
