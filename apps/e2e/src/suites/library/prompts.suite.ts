import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addCollectionItemsRoute,
  auditEventsRoute,
  contextRoute,
  createCollectionRoute,
  createPromptRoute,
  deletePromptRoute,
  getPromptRoute,
  listPromptsRoute,
  listPromptVersionsRoute,
  passageSearchRoute,
  reasoningRoute,
  reasonRoute,
  restorePromptRoute,
  searchRoute,
  updatePromptRoute,
  type Prompt,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingestOne } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const NOT_FOUND = { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'There is no such prompt.' } as const;

/** Templates with versions; stored beside the documents and never evidence. */
export function describePrompts(world: WorldOf): void {
  describe('library: prompts', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Prompts')).admin;
    });

    const create = async (fields: { title: string; content: string; tags?: string[] }): Promise<Prompt> =>
      (await client.call(createPromptRoute, { body: fields })).data;
    const versionsOf = async (id: string) => (await client.call(listPromptVersionsRoute, { params: { id } })).data;

    it('are created, read, changed and deleted', async () => {
      const { data } = await client.call(createPromptRoute, {
        body: {
          title: 'Reply to a complaint',
          description: 'Friendly and short',
          content: 'Answer ${customer} about order {{order.id}} in a ${tone} tone.',
          engine: 'any',
          parameters: { temperature: 0.2 },
          variables: [{ name: 'tone', type: 'string', description: 'How it sounds' }],
          tags: ['mail'],
        },
      });
      expect(data).toEqual({
        id: expect.any(String),
        title: 'Reply to a complaint',
        description: 'Friendly and short',
        isPublic: false,
        currentVersion: 1,
        tags: ['mail'],
        content: 'Answer ${customer} about order {{order.id}} in a ${tone} tone.',
        engine: 'any',
        parameters: { temperature: 0.2 },
        variables: [
          { name: 'tone', type: 'string', description: 'How it sounds' },
          { name: 'customer' },
          { name: 'order.id' },
        ],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      });
      const params = { id: data.id };
      expect((await client.call(getPromptRoute, { params })).data).toEqual(data);
      const changed = await client.call(updatePromptRoute, { params, body: { title: 'Reply', changeLog: 'Shorter' } });
      expect(changed.data).toMatchObject({ title: 'Reply', currentVersion: 2, content: data.content, tags: ['mail'] });
      expect((await client.exchange(deletePromptRoute, { params })).text).toBe('');
      for (const method of ['GET', 'DELETE'])
        expectError(await client.send(method, `/v1/prompts/${data.id}`), NOT_FOUND);
      expectError(await client.send('PATCH', `/v1/prompts/${data.id}`, { body: { title: 'x' } }), NOT_FOUND);
      expectError(await client.get(`/v1/prompts/${data.id}/versions`), NOT_FOUND);
      expectError(await client.post(`/v1/prompts/${data.id}/restore`, { versionId: randomUUID() }), NOT_FOUND);
    });

    it('keep every version, say who made it and why, and bring one back', async () => {
      const { id } = await create({ title: 'Summary', content: 'Summarize ${text}.' });
      const { client: editor } = await createKey(client, { name: 'Ada', allowedActions: ['prompts:*'] });
      await editor.call(updatePromptRoute, {
        params: { id },
        body: { content: 'Sum up ${text}.', changeLog: 'Plainer' },
      });
      await client.call(updatePromptRoute, { params: { id }, body: { tags: ['a'] } });
      const versions = await versionsOf(id);
      expect(versions.map(({ version, content, changeLog }) => [version, content, changeLog])).toEqual([
        [2, 'Sum up ${text}.', 'Plainer'],
        [1, 'Summarize ${text}.', null],
      ]);
      expect(versions[0]?.userName).toBe('Ada');
      const params = { id };
      const versionId = versions[1]?.id ?? '';
      expect((await client.call(restorePromptRoute, { params, body: { versionId } })).data).toEqual({
        id,
        title: 'Summary',
        currentVersion: 3,
      });
      expect((await client.call(getPromptRoute, { params })).data).toMatchObject({
        content: 'Summarize ${text}.',
        tags: ['a'],
      });
      expect((await versionsOf(id))[0]).toMatchObject({ version: 3, changeLog: 'Restored version 1' });
      expectError(await client.post(`/v1/prompts/${id}/restore`, { versionId: randomUUID() }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'The prompt has no such version.',
        field: 'versionId',
      });
    });

    it('are listed newest first, by words, tags and in pages', async () => {
      const { admin } = await createTenant(world(), 'Listed prompts');
      for (const [title, tags] of [
        ['One', ['a', 'b']],
        ['Two', ['a']],
        ['Three 100%', []],
      ] as [string, string[]][])
        await admin.call(createPromptRoute, { body: { title, content: 'c', description: `about ${title}`, tags } });
      const titles = async (query: { q?: string; tags?: string; limit?: number; cursor?: string }) =>
        (await admin.call(listPromptsRoute, { query })).data.map(({ title }) => title);
      expect(await titles({})).toEqual(['Three 100%', 'Two', 'One']);
      expect(await titles({ q: 'ABOUT t' })).toEqual(['Three 100%', 'Two']);
      expect(await titles({ q: '100%' })).toEqual(['Three 100%']);
      expect(await titles({ q: '0_%' })).toEqual([]);
      expect(await titles({ tags: 'a, b' })).toEqual(['One']);
      const first = await admin.call(listPromptsRoute, { query: { limit: 2 } });
      expect(first.pagination).toEqual({ cursor: expect.any(String), hasMore: true });
      expect(await titles({ limit: 2, cursor: first.pagination.cursor ?? '' })).toEqual(['One']);
    });

    it('are made once for one Idempotency-Key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { title: 'Once', content: 'c' };
      const { data } = await client.call(createPromptRoute, { body, headers });
      expect((await client.call(createPromptRoute, { body, headers })).data.id).toBe(data.id);
      expectError(await client.post('/v1/prompts', { ...body, title: 'Other' }, headers), {
        status: 409,
        type: 'IDEMPOTENCY.KEY_REUSED',
      });
    });

    it('need their action, and are absent to other tenants', async () => {
      const { id } = await create({ title: 'Private', content: 'c' });
      const versionId = (await versionsOf(id))[0]?.id ?? '';
      const { client: reader } = await createKey(client);
      expectError(await reader.get(`/v1/prompts/${id}`), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      expectError(await reader.get('/v1/prompts'), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      const { admin: stranger } = await createTenant(world(), 'Strangers');
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { title: 'Mine' }],
        ['DELETE', '', undefined],
        ['GET', '/versions', undefined],
        ['POST', '/restore', { versionId }],
      ] as const)
        expectError(await stranger.send(method, `/v1/prompts/${id}${path}`, { body }), NOT_FOUND);
      expect((await stranger.call(listPromptsRoute)).data).toEqual([]);
      expect((await client.call(getPromptRoute, { params: { id } })).data.title).toBe('Private');
    });

    it('leave an event for each call, without their text', async () => {
      const { id } = await create({ title: 'Audited', content: 'A zanzibar secret.' });
      await client.call(updatePromptRoute, { params: { id }, body: { content: 'Another zanzibar secret.' } });
      await client.call(deletePromptRoute, { params: { id } });
      const events = (await client.call(auditEventsRoute, { query: { limit: 100 } })).data.filter(
        ({ targetId }) => targetId === id,
      );
      expect(events.map(({ action }) => action).sort()).toEqual(['prompt.create', 'prompt.delete', 'prompt.update']);
      expect(JSON.stringify(events)).not.toContain('zanzibar');
    });

    it('are never evidence: no search, context, passage or answer has their text', async () => {
      const { admin } = await createTenant(world(), 'Evidence');
      await ingestOne(admin, {
        title: 'Quokka care',
        body: 'The quokka of the harbor office is fed every morning by the night watch.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
      const query = 'Who feeds the quokka of the harbor office?';
      await admin.call(createPromptRoute, {
        body: { title: query, content: 'The quokka of the harbor office is fed by the zanzibar pilot every evening.' },
      });
      const answers = [
        await admin.call(searchRoute, { body: { query, limit: 25 } }),
        await admin.call(contextRoute, { body: { query, limit: 25 } }),
        await admin.call(passageSearchRoute, { body: { query, limit: 50 } }),
        await admin.call(reasonRoute, { body: { query } }),
      ];
      for (const answer of answers) {
        expect(JSON.stringify(answer)).toContain('night watch');
        expect(JSON.stringify(answer)).not.toContain('zanzibar');
      }
      const typed = await admin.call(reasoningRoute, { body: { query } });
      expect(JSON.stringify(typed)).not.toContain('zanzibar');
      // Nor where a collection that holds the prompt is the scope.
      const { id } = (await admin.call(createCollectionRoute, { body: { name: 'Prompts only' } })).data;
      const itemIds = (await admin.call(listPromptsRoute)).data.map((prompt) => prompt.id);
      await admin.call(addCollectionItemsRoute, { params: { id }, body: { itemIds, itemType: 'prompt' } });
      const scoped = { query, collectionId: id };
      expect((await admin.call(searchRoute, { body: scoped })).hits).toEqual([]);
      expect((await admin.call(passageSearchRoute, { body: scoped })).data.results).toEqual([]);
      expect((await admin.call(reasonRoute, { body: scoped })).data.citations).toEqual([]);
    });
  });
}
