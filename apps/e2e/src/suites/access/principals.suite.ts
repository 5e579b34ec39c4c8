import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  listDocumentsRoute,
  passageSearchRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
  updateApiKeyRoute,
  type AccessPolicy,
  type Hit,
} from '@candor/contracts';
import { buildDocument, type ApiClient, type ApiResponse } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest, ingestOne } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import { sendUpload } from '../../harness/upload.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'Where is the spare key of the boathouse in Tindevik?';
const ANN = 'user:ann@boat.example';
const BEN = 'user:ben@boat.example';
const TEAM = 'group:crew@boat.example';

const POLICIES: Record<string, AccessPolicy | null | undefined> = {
  scoped: { provider: 'slack', mode: 'provider_scope', channelId: 'C1' },
  ann: { provider: 'slack', mode: 'acl', principals: [ANN], channelId: 'C2', members: [ANN, BEN] },
  team: { provider: 'slack', mode: 'acl', principals: [TEAM, ANN, BEN], owner: BEN },
  anyone: { provider: 'slack', mode: 'acl', principals: ['anyone', BEN] },
  nobody: { provider: 'slack', mode: 'acl', principals: [] },
  unlisted: { provider: 'slack', mode: 'acl' },
  none: null,
  absent: undefined,
};
const NAMES = Object.keys(POLICIES);

/** Who sees which item: access is part of the search, and what is unclear is withheld. */
export function describePrincipals(world: WorldOf): void {
  describe('principals', () => {
    let admin: ApiClient;
    let ids: Record<string, string>;
    const nameOf = (itemId: string): string => NAMES.find((name) => ids[name] === itemId) ?? itemId;

    beforeAll(async () => {
      admin = (await createTenant(world(), 'Principals')).admin;
      const created = await ingest(
        admin,
        NAMES.map((name, index) => ({
          externalId: name,
          title: `Boathouse in Tindevik, note ${index}`,
          body: `The spare key of the boathouse in Tindevik hangs on hook ${index + 1}.`,
          ...(POLICIES[name] === undefined ? {} : { accessPolicy: POLICIES[name] }),
        })),
      );
      ids = Object.fromEntries(NAMES.map((name, index) => [name, created[index] ?? '']));
    });

    const readerOf = async (principals: string[] | null): Promise<ApiClient> =>
      (await createKey(admin, { principals })).client;
    const find = async (reader: ApiClient): Promise<Hit[]> =>
      (await reader.call(searchRoute, { body: { query: QUERY, limit: 25 } })).hits;
    const namesOf = (hits: Hit[]): string[] => hits.map((hit) => nameOf(hit.sourceItemId)).sort();

    it.each<[string, string[] | null, string[]]>([
      ['a service key sees everything', null, NAMES],
      ['one person sees their own, the open and the public', [ANN], ['ann', 'anyone', 'scoped', 'team']],
      ['another person sees what names them', [BEN], ['anyone', 'scoped', 'team']],
      ['a member sees what the group sees', [TEAM], ['anyone', 'scoped', 'team']],
      ['a stranger sees what is open or public', ['user:eve@boat.example'], ['anyone', 'scoped']],
      ['nobody in particular sees the same', [], ['anyone', 'scoped']],
      ['a prefix of a principal is another one', ['user:ann@boat.exampl'], ['anyone', 'scoped']],
      ['a wildcard is just a name', ['*', '%', 'user:%'], ['anyone', 'scoped']],
    ])('%s', async (_, principals, expected) => {
      const reader = await readerOf(principals);
      expect(namesOf(await find(reader))).toEqual([...expected].sort());
      const { data } = await reader.call(passageSearchRoute, { body: { query: QUERY, limit: 50 } });
      const passages = [...new Set(data.results.map((passage) => nameOf(passage.documentId)))];
      expect(passages.sort()).toEqual([...expected].sort());
      for (const name of NAMES) {
        const response = await reader.get(`/v1/source-items/${ids[name]}`);
        expect([name, response.status]).toEqual([name, expected.includes(name) ? 200 : 404]);
      }
    });

    it('answer only from what the caller may see', async () => {
      const { data } = await (await readerOf([BEN])).call(reasonRoute, { body: { query: QUERY } });
      const seen = data.citations.map((citation) => nameOf(citation.documentId));
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter((name) => !['anyone', 'scoped', 'team'].includes(name))).toEqual([]);
      expect(data.meta.chunksGathered).toBe(3);
    });

    it('learn of no other reader: lists are cut to what is shared', async () => {
      const policies = Object.fromEntries(
        (await find(await readerOf([ANN]))).map((hit) => [nameOf(hit.sourceItemId), hit.accessPolicy]),
      );
      expect(policies).toEqual({
        scoped: POLICIES['scoped'],
        ann: { provider: 'slack', mode: 'acl', principals: [ANN], channelId: 'C2' },
        team: { provider: 'slack', mode: 'acl', principals: [ANN] },
        anyone: { provider: 'slack', mode: 'acl', principals: ['anyone'] },
      });
      const item = await (await readerOf([TEAM])).call(sourceItemRoute, { params: { id: ids['team'] ?? '' } });
      expect(item.accessPolicy).toEqual({ provider: 'slack', mode: 'acl', principals: [TEAM] });
    });

    it('get policies unchanged when they are service keys', async () => {
      const policies = Object.fromEntries(
        (await find(admin)).map((hit) => [nameOf(hit.sourceItemId), hit.accessPolicy]),
      );
      expect(policies).toEqual(Object.fromEntries(NAMES.map((name) => [name, POLICIES[name] ?? null])));
    });

    it('never hear of hidden items, not even as a number', async () => {
      const reader = await readerOf(['user:eve@boat.example']);
      const contract = await reader.call(contextRoute, { body: { query: QUERY, limit: 25, contractVersion: '1.1' } });
      expect(contract.exclusions.filter(({ type }) => type !== 'no_results')).toEqual([]);
      const empty = await reader.call(contextRoute, {
        body: { query: QUERY, sourceItemId: ids['ann'] ?? '', contractVersion: '1.1' },
      });
      expect(empty.hits).toEqual([]);
      expect(empty.exclusions.filter(({ type }) => type !== 'no_results')).toEqual([]);
      expect(empty.limitations.map(({ code }) => code)).toEqual(['no_context']);
    });

    it('write over nothing that they may not see, and read nothing of it by trying', async () => {
      const { admin: writerAdmin } = await createTenant(world(), 'Writers with principals');
      const secret = 'The combination of the boathouse safe is 4711.';
      const accessPolicy: AccessPolicy = { provider: 'upload', mode: 'acl', principals: [ANN] };
      const safe = { provider: 'upload', externalId: 'safe', title: 'Safe', body: secret, accessPolicy } as const;
      const id = await ingestOne(writerAdmin, safe);
      const keyOf = async (principals: string[]): Promise<ApiClient> =>
        (
          await createKey(writerAdmin, {
            allowedActions: ['ingest', 'documents:read', 'documents:write'],
            principals,
          })
        ).client;
      const [ann, ben] = [await keyOf([ANN]), await keyOf([BEN])];
      const mine: AccessPolicy = { ...accessPolicy, principals: [BEN] };
      const documents = [
        buildDocument({ externalId: 'beside', accessPolicy: { provider: 'slack', mode: 'provider_scope' } }),
        buildDocument({ ...safe, body: 'Mine now.', accessPolicy: mine }),
      ];
      const text = { title: 'Safe', content: 'Mine now.', externalId: 'safe', accessPolicy: mine };
      const file = { name: 'safe.txt', bytes: 'Mine now.' };
      const form = { externalId: 'safe', accessPolicy: JSON.stringify(mine) };
      const attempts: [string, Promise<ApiResponse>][] = [
        ['documents[1].externalId', ben.post('/v1/ingest', { documents })],
        ['externalId', ben.post('/v1/documents', text)],
        ['externalId', sendUpload(ben, file, form)],
      ];
      for (const [field, sent] of attempts) {
        const response = await sent;
        const message = `${field} is not one that this API key may use.`;
        expectError(response, { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED', message, field });
        expect(response.text).not.toContain('4711');
        const [event] = await readEvents(writerAdmin, response.requestId);
        expect(event).toMatchObject({ action: 'access.denied', outcome: 'denied' });
      }
      expect((await ben.get(`/v1/documents/${id}/versions`)).status).toBe(404);
      const item = await ann.call(sourceItemRoute, { params: { id } });
      expect(item).toMatchObject({ version: 1, versions: [{ version: 1 }], accessPolicy });
      expect((await writerAdmin.call(listDocumentsRoute, { query: {} })).data.map((each) => each.id)).toEqual([id]);
      // Whoever sees it writes it, and hears only of what they sent.
      const uploaded = await sendUpload(ann, file, { externalId: 'safe', accessPolicy: JSON.stringify(accessPolicy) });
      expect(uploaded.body).toMatchObject({ data: { id, version: 2, content: null } });
    });

    it('lose what is taken from their key with the very next request', async () => {
      const { id, client } = await createKey(admin, { principals: [ANN, TEAM] });
      expect(namesOf(await find(client))).toEqual(['ann', 'anyone', 'scoped', 'team']);
      await admin.call(updateApiKeyRoute, { params: { id }, body: { principals: [TEAM] } });
      expect(namesOf(await find(client))).toEqual(['anyone', 'scoped', 'team']);
      expect((await client.get(`/v1/source-items/${ids['ann']}`)).status).toBe(404);
    });
  });
}
