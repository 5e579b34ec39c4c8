import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@candor/testkit';
import { gzipSync } from 'node:zlib';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { lookUpPublicName } from './guarded-dispatcher.js';
import { isPublicAddress } from './is-public-address.js';
import { OutboundHttp } from './outbound-fetch.js';
import { readRetryAfter } from './transient-failure.js';

const retry = { budgetMs: 3_000, firstPauseMs: 1 };

describe('OutboundHttp', () => {
  let server: ScriptedProviderServer;
  const open = new OutboundHttp({ allowPrivateAddresses: true, retry });
  const guarded = new OutboundHttp({ allowPrivateAddresses: false, retry });
  const signal = new AbortController().signal;

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
  });
  afterEach(() => server.stop());

  it('repeats after 429, 5xx and a broken connection, and hands over what comes then', async () => {
    let asked = 0;
    server.on('/flaky', () => {
      asked += 1;
      if (asked === 1) return { status: 429, headers: { 'retry-after': '0' } };
      if (asked === 2) return { status: 503 };
      return asked === 3 ? 'hang up' : { body: { fine: true } };
    });
    const response = await open.fetchFor({ signal })(`${server.url}/flaky`);
    expect(await response.json()).toEqual({ fine: true });
    expect(server.calls).toHaveLength(4);
  });

  it('says RATE_LIMITED with the seconds at once when they do not fit into the budget', async () => {
    server.on('/busy', () => ({ status: 429, headers: { 'retry-after': '77' } }));
    await expect(open.fetchFor({ signal })(`${server.url}/busy`)).rejects.toMatchObject({
      code: 'CONNECTOR.RATE_LIMITED',
      retryable: true,
      retryAfterSeconds: 77,
    });
    expect(server.calls).toHaveLength(1);
  });

  it('takes a 403 of Google that speaks of a rate for a rate limit, and any other as an answer', async () => {
    server.on('/rate', () => ({ status: 403, body: { error: { errors: [{ reason: 'userRateLimitExceeded' }] } } }));
    server.on('/forbidden', () => ({
      status: 403,
      body: { error: { errors: [{ reason: 'insufficientPermissions' }] } },
    }));
    await expect(open.fetchFor({ signal })(`${server.url}/rate`)).rejects.toMatchObject({
      code: 'CONNECTOR.RATE_LIMITED',
    });
    expect((await open.fetchFor({ signal })(`${server.url}/forbidden`)).status).toBe(403);
  });

  it('gives up on a server that stays down with UNAVAILABLE', async () => {
    server.on('/down', () => ({ status: 502 }));
    await expect(open.fetchFor({ signal })(`${server.url}/down`)).rejects.toMatchObject({
      code: 'CONNECTOR.UNAVAILABLE',
      retryable: true,
    });
    expect(server.calls.length).toBeGreaterThan(2);
  });

  it('refuses loopback, private addresses and names, and plain http, without a connection', async () => {
    const refused = { code: 'CONNECTOR.ADDRESS_REFUSED', retryable: false };
    const ask = guarded.fetchFor({ signal });
    await expect(ask(`${server.url}/`)).rejects.toMatchObject(refused);
    await expect(ask('https://127.0.0.1:9443/')).rejects.toMatchObject(refused);
    await expect(ask('https://[::1]:9443/')).rejects.toMatchObject(refused);
    await expect(ask('https://[::ffff:169.254.169.254]/')).rejects.toMatchObject(refused);
    await expect(ask('https://2130706433:9443/')).rejects.toMatchObject(refused);
    await expect(ask('https://localhost:9443/')).rejects.toMatchObject(refused);
    expect(server.calls).toHaveLength(0);
  });

  it('counts decoded bytes and stops at the limit', async () => {
    server.on('/bomb', () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(3_000_000)) }));
    await expect(open.fetchFor({ signal, maxBytes: 1_000_000 })(`${server.url}/bomb`)).rejects.toMatchObject({
      code: 'CONNECTOR.ITEM_TOO_LARGE',
    });
    expect((await (await open.fetchFor({ signal })(`${server.url}/bomb`)).arrayBuffer()).byteLength).toBe(3_000_000);
  });

  it('ends on abort, also while it waits for the next attempt', async () => {
    const silent = new AbortController();
    server.on('/silent', () => 'never').on('/later', () => ({ status: 429, headers: { 'retry-after': '2' } }));
    const waiting = open.fetchFor({ signal: silent.signal })(`${server.url}/silent`);
    const pausing = open.fetchFor({ signal: silent.signal })(`${server.url}/later`);
    void waitFor(() => (server.calls.length === 2 ? true : undefined), { what: 'both calls to arrive' }).then(() =>
      setTimeout(() => silent.abort(), 100),
    );
    await expect(waiting).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    await expect(pausing).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    expect(server.callsOf('/later')).toHaveLength(1);
  });
});

describe('addresses', () => {
  it.each(['8.8.8.8', '2606:4700::1111', '[2606:4700::1111]'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1%eth0',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    'nonsense',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([true, false])('a name that leads to loopback is refused (all: %s)', async (all) => {
    const outcome = await new Promise((resolve) => lookUpPublicName('localhost', { all }, resolve));
    expect(outcome).toMatchObject({ code: 'CONNECTOR.ADDRESS_REFUSED' });
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['12', 12],
    ['0.5', 0.5],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j is %j', (header, seconds) => expect(readRetryAfter(header, now)).toBe(seconds));
});
