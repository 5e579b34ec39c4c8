import { beforeEach, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { v4 as randomUuid } from 'uuid';
import { TestTenant } from '../testing.js';
import {
  expireSecrets,
  findApiKey,
  findInstallationKey,
  findKeyBySecret,
  insertSecret,
  listApiKeys,
  revokeApiKey,
  updateApiKey,
  type StoredSecret,
} from './api-key.repository.js';
import { ensureDefaultTenant, findTenant } from './tenant.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('API keys', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const find = (publicId: string): Promise<StoredSecret | null> =>
    postgres.database.read((manager) => findKeyBySecret(manager, publicId));
  const inMilliseconds = (offset: number): Date => new Date(Date.now() + offset);

  it('are found by the public half of their secret, with all that the gateway needs', async () => {
    const expiresAt = new Date('2099-01-01T00:00:00.123Z');
    const key = await tenant.addKey({
      actorType: 'agent',
      allowedActions: ['search', 'reason'],
      allowedProviders: ['slack'],
      principals: ['user:a@x.org'],
      rateLimitPerMinute: 5,
      expiresAt,
    });
    const found = await find(key.publicId);
    expect(found?.secretSha256).toEqual(createHash('sha256').update(key.publicId).digest());
    expect(found?.tenant).toMatchObject({ id: tenant.id, auditQueryText: true, isDefault: false });
    const { publicId, ...stored } = key;
    expect(found?.apiKey).toEqual(stored);
    expect(stored).toMatchObject({
      tenantId: tenant.id,
      allowedActions: ['search', 'reason'],
      allowedProviders: ['slack'],
      principals: ['user:a@x.org'],
      rateLimitPerMinute: 5,
      expiresAt,
      revokedAt: null,
    });
    expect(await find(`${publicId}x`)).toBeNull();
    expect(await find('')).toBeNull();
  });

  it('tell null (no restriction) from an empty list (nothing)', async () => {
    const free = await tenant.addKey();
    const bound = await tenant.addKey({ allowedProviders: [], principals: [] });
    expect((await find(free.publicId))?.apiKey).toMatchObject({ allowedProviders: null, principals: null });
    expect((await find(bound.publicId))?.apiKey).toMatchObject({ allowedProviders: [], principals: [] });
  });

  it('are found although they expired or were revoked: the caller says which', async () => {
    const expired = await tenant.addKey({ expiresAt: inMilliseconds(-1_000) });
    expect((await find(expired.publicId))?.apiKey.expiresAt?.getTime()).toBeLessThan(Date.now());
    const revoked = await tenant.addKey();
    expect(await postgres.database.transaction((transaction) => revokeApiKey(transaction, revoked.id))).toBe(true);
    expect(await postgres.database.transaction((transaction) => revokeApiKey(transaction, revoked.id))).toBe(false);
    expect((await find(revoked.publicId))?.apiKey.revokedAt).toEqual(expect.any(Date));
  });

  it('have two secrets while they are rotated, and the earlier end of the old one counts', async () => {
    const key = await tenant.addKey();
    const rotate = (publicId: string, end: Date): Promise<void> =>
      postgres.database.transaction(async (transaction) => {
        await expireSecrets(transaction, key.id, end);
        await insertSecret(transaction, key.id, { publicId, secretSha256: Buffer.from('x') });
      });
    const [second, third] = [`second-${key.id}`, `third-${key.id}`];
    await rotate(second, inMilliseconds(60_000));
    expect((await find(key.publicId))?.apiKey.id).toBe(key.id);
    expect((await find(second))?.apiKey.id).toBe(key.id);

    await rotate(third, inMilliseconds(3_600_000));
    const ends: { public_id: string; expires_at: Date | null }[] = await postgres.database.read((manager) =>
      manager.query('SELECT public_id, expires_at FROM api_key_secrets WHERE api_key_id = $1 ORDER BY created_at', [
        key.id,
      ]),
    );
    expect(ends.map((row) => row.public_id)).toEqual([key.publicId, second, third]);
    expect(ends[0]?.expires_at?.getTime()).toBeLessThan(Date.now() + 60_001);
    expect(ends[1]?.expires_at?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(ends[2]?.expires_at).toBeNull();

    await postgres.database.transaction((transaction) => expireSecrets(transaction, key.id, inMilliseconds(-1_000)));
    expect(await Promise.all([key.publicId, second, third].map(find))).toEqual([null, null, null]);
  });

  it('can be changed; what is not named stays', async () => {
    const key = await tenant.addKey({ name: 'before', principals: ['user:a@x.org'], rateLimitPerMinute: 5 });
    const change = (fields: Parameters<typeof updateApiKey>[2]): ReturnType<typeof updateApiKey> =>
      postgres.database.transaction((transaction) => updateApiKey(transaction, key.id, fields));
    expect(await change({ name: 'after' })).toMatchObject({
      name: 'after',
      principals: ['user:a@x.org'],
      rateLimitPerMinute: 5,
    });
    expect(await change({ principals: null, rateLimitPerMinute: null })).toMatchObject({
      name: 'after',
      principals: null,
      rateLimitPerMinute: null,
    });
    expect(await change({})).toMatchObject({ name: 'after' });
  });

  it('belong to one tenant, and are listed there in the order of their making, each once', async () => {
    const stranger = await TestTenant.create(postgres.database);
    const theirs = await stranger.addKey();
    expect(await postgres.database.read((manager) => findApiKey(manager, tenant.id, theirs.id))).toBeNull();
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.push((await tenant.addKey()).id);
    await postgres.database.read((manager) =>
      manager.query(`UPDATE api_keys SET created_at = '2026-01-01T00:00:00Z' WHERE id = ANY($1::uuid[])`, [
        ids.slice(0, 5),
      ]),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let hasMore = true; hasMore;) {
      const page = await postgres.database.read((manager) => listApiKeys(manager, tenant.id, { limit: 2, cursor }));
      seen.push(...page.rows.map((row) => row.id));
      cursor = page.cursor ?? undefined;
      hasMore = page.hasMore;
    }
    expect(seen).toEqual([...ids.slice(0, 5).sort(), ...ids.slice(5)]);
    await expect(
      postgres.database.read((manager) => listApiKeys(manager, tenant.id, { limit: 2, cursor: 'mine' })),
    ).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
  });

  it('refuse a cursor whose parts are not a time and a UUID', async () => {
    const [at, id] = ['2026-01-01T00:00:00.000Z', randomUuid()];
    for (const parts of [
      [at, 'no-uuid'],
      ['yesterday', id],
      ['1', id],
      ['2026-02-31T00:00:00.000Z', id],
      ['+275760-01-01T00:00:00.000Z', id],
      [at],
      {},
      1,
    ]) {
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      await expect(
        postgres.database.read((manager) => listApiKeys(manager, tenant.id, { limit: 2, cursor })),
      ).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
    }
  });

  it('make one default tenant and one installation key, whoever comes first', async () => {
    const tenants = await Promise.all(
      [1, 2, 3].map(() =>
        postgres.database.transaction((transaction) => ensureDefaultTenant(transaction, randomUuid())),
      ),
    );
    expect(new Set(tenants.map((found) => found.id)).size).toBe(1);
    expect(await postgres.database.read((manager) => findTenant(manager, tenants[0]?.id ?? ''))).toMatchObject({
      isDefault: true,
    });
    expect(await postgres.database.read((manager) => findInstallationKey(manager))).toBeNull();
    const key = await tenant.addKey({ isInstallationKey: true });
    expect((await postgres.database.read((manager) => findInstallationKey(manager)))?.id).toBe(key.id);
    await expect(tenant.addKey({ isInstallationKey: true })).rejects.toThrow('api_keys_one_installation_key');
  });
});
