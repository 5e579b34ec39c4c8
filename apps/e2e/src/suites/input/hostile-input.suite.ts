import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import {
  contextRoute,
  createCollectionRoute,
  createPromptRoute,
  findItemsRoute,
  passageSearchRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
} from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { mapLimited } from '../../harness/map-limited.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { NAUGHTY_TEXTS } from './naughty-texts.js';

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Whatever comes in is an answer or a clear refusal, never a failure of ours. */
export function describeHostileInput(world: WorldOf): void {
  describe('hostile input', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Hostile input')).admin;
      await ingest(client, [{ title: 'Ballast', body: 'The ballast of the Skuld weighs nine tons.' }]);
    });

    afterAll(async () => {
      expect((await world().anonymous.get('/readyz')).status).toBe(200);
      const { hits } = await client.call(searchRoute, { body: { query: 'What does the ballast of the Skuld weigh?' } });
      expect(hits.length).toBeGreaterThan(0);
    });

    it.each(NAUGHTY_TEXTS)('takes "$name" for a question like any other', async ({ text }) => {
      const query = text;
      expect((await client.call(searchRoute, { body: { query } })).query).toBe(query);
      expect((await client.call(contextRoute, { body: { query } })).query.raw).toBe(query);
      expect((await client.call(passageSearchRoute, { body: { query } })).data.meta.query).toBe(query);
      await client.call(reasonRoute, { body: { query } });
    });

    it('keeps such texts as they are, in items and collections', async () => {
      const texts = NAUGHTY_TEXTS.filter(({ text }) => text.length <= 200);
      const documents = texts.map(({ text }, index) =>
        buildDocument({
          externalId: `${index} ${text}`,
          title: text,
          body: `Before. ${text} After.`,
          tags: [text.slice(0, 100)],
          metadata: { [text.slice(0, 50)]: text },
          accessPolicy: { provider: 'slack', mode: 'acl', principals: [`user:${text}`] },
        }),
      );
      const ids = await ingest(client, documents);
      for (const [index, id] of ids.entries()) {
        const item = await client.call(sourceItemRoute, { params: { id } });
        const { externalId, title, tags, metadata, accessPolicy } = documents[index] ?? buildDocument();
        expect(item).toMatchObject({ externalId, title, tags, metadata, accessPolicy, status: 'indexed' });
      }
      for (const { text } of texts) {
        const { data } = await client.call(createCollectionRoute, { body: { name: text, description: text } });
        expect(data).toMatchObject({ name: text.trim(), description: text });
      }
    });

    it('keeps such texts in prompts, and finds them as they are written', async () => {
      const texts = NAUGHTY_TEXTS.filter(({ text }) => text.length <= 200);
      await mapLimited(texts, 8, async ({ text }) => {
        const body = { title: text, description: text, content: text, tags: [text.slice(0, 100)] };
        const prompt = await client.call(createPromptRoute, { body });
        expect(prompt.data).toMatchObject(body);
        const found = await client.call(findItemsRoute, {
          query: { q: text, type: 'prompts', semantic: 'false', limit: 50 },
        });
        expect(found.data.prompts.map(({ promptId }) => promptId)).toContain(prompt.data.id);
      });
    });

    it.each([
      ['cut short', '{"query":"a"'],
      ['not JSON at all', 'query=a'],
      ['two values', '{"query":"a"}{}'],
      ['single quotes', "{'query':'a'}"],
      ['a trailing comma', '{"query":"a",}'],
      ['NaN', '{"query":"a","limit":NaN}'],
    ])('refuses a body that is %s', async (_, rawBody) => {
      expectError(await client.send('POST', '/v1/search', { rawBody }), {
        status: 400,
        type: 'REQUEST.MALFORMED_JSON',
        message: 'The body is not valid JSON.',
      });
    });

    it('refuses bytes that are no UTF-8', async () => {
      const rawBody = Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]);
      expectError(await client.send('POST', '/v1/search', { rawBody }), {
        status: 400,
        type: 'REQUEST.MALFORMED_JSON',
        message: 'The body is not valid UTF-8.',
      });
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'json',
    ])('refuses a body of type %s', async (contentType) => {
      const response = await client.send('POST', '/v1/search', {
        rawBody: '{"query":"a"}',
        headers: { 'content-type': contentType },
      });
      expectError(response, { status: 415, type: 'REQUEST.UNSUPPORTED_MEDIA_TYPE' });
    });

    it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/merge-patch+json'])(
      'takes a body of type %s',
      async (contentType) => {
        const response = await client.send('POST', '/v1/search', {
          rawBody: '{"query":"a"}',
          headers: { 'content-type': contentType },
        });
        expect(response.status).toBe(200);
      },
    );

    it('refuses other charsets and unknown encodings', async () => {
      for (const headers of [
        { 'content-type': 'application/json; charset=iso-8859-1' },
        { 'content-type': 'application/json; charset=utf-16' },
        { ...JSON_TYPE, 'content-encoding': 'rot13' },
      ])
        expectError(await client.send('POST', '/v1/search', { rawBody: '{"query":"a"}', headers }), {
          status: 415,
          type: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
        });
    });

    it.each([
      ['/v1/search', 1.1],
      ['/v1/search', 10],
      ['/v1/reason', 10],
      ['/v1/api-keys', 10],
      ['/v1/ingest', 21],
    ])('refuses a body that is too large: %s with %d MiB', async (path, mebibytes) => {
      const rawBody = JSON.stringify({ query: 'q'.repeat(Math.floor(mebibytes * MEBIBYTE)) });
      expectError(await client.send('POST', path, { rawBody }), {
        status: 413,
        type: 'REQUEST.TOO_LARGE',
        message: 'The body is larger than this endpoint accepts.',
      });
    });

    it('measures a compressed body by what comes out of it', async () => {
      const bomb = gzipSync(JSON.stringify({ query: 'q'.repeat(64 * MEBIBYTE) }));
      expect(bomb.length).toBeLessThan(MEBIBYTE);
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
      expectError(await client.send('POST', '/v1/search', { rawBody: bomb, headers }), {
        status: 413,
        type: 'REQUEST.TOO_LARGE',
      });
      const fine = gzipSync('{"query":"a"}');
      expect((await client.send('POST', '/v1/search', { rawBody: fine, headers })).status).toBe(200);
      expectError(await client.send('POST', '/v1/search', { rawBody: fine.subarray(0, 20), headers }), {
        status: 400,
        type: 'REQUEST.INVALID',
      });
    });

    it('reads an ingest body of almost 20 MiB, and only then finds what is wrong with it', async () => {
      const documents = [
        buildDocument({ body: 'b'.repeat(9.5 * MEBIBYTE) }),
        buildDocument({ body: 'b'.repeat(9.5 * MEBIBYTE) }),
        { ...buildDocument(), title: '' },
      ];
      expectError(await client.post('/v1/ingest', { documents }), {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'documents[2].title',
      });
    });

    it.each([150, 100_000])('refuses %d levels of nesting', async (levels) => {
      for (const rawBody of [
        `{"query":${'['.repeat(levels)}${']'.repeat(levels)}}`,
        `{"query":"a","filter":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
      ]) {
        const response = await client.send('POST', '/v1/search', { rawBody });
        expect(response.status).toBe(400);
        expectError(response, {
          status: 400,
          type: 'REQUEST.INVALID',
          message: 'body must not be nested deeper than 100 levels',
        });
      }
    });

    it.each(['%', '%zz', '%ff', '%c0%af', '%ed%a0%80', '/v1/collections?search=%'])(
      'refuses the broken percent encoding %s',
      async (part) => {
        const path = part.startsWith('/') ? part : `/v1/source-items/${part}`;
        expectError(await client.get(path), {
          status: 400,
          type: 'REQUEST.INVALID',
          message: 'url must be valid percent-encoded UTF-8',
          field: 'url',
        });
      },
    );

    it('refuses NUL and half characters in queries and paths', async () => {
      expectError(await client.get('/v1/collections?search=a%00b'), {
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'search must not contain NUL characters',
      });
      expectError(await client.get('/v1/source-items/a%00b'), { status: 400, type: 'REQUEST.INVALID' });
    });

    it('makes nothing of prototypes and constructors', async () => {
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
        const response = await client.send('POST', '/v1/search', { rawBody: `{"query":"a","${name}":{"x":1}}` });
        expectError(response, { status: 400, type: 'REQUEST.INVALID', field: name });
        expectError(await client.get(`/v1/collections?${name}=1`), { status: 400, type: 'REQUEST.INVALID' });
      }
      expect((await client.get('/v1/user/me')).status).toBe(200);
    });
  });
}
