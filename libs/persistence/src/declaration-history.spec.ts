import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { AppError, type IngestDocument } from '@candor/contracts';
import { Database } from './database.js';
import { failVersion } from './repositories/item-pipeline.repository.js';
import { RetrievalViews, type ItemHead } from './retrieval-views.js';
import { buildDocument, TestTenant } from './testing.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';

jest.setTimeout(120_000);

const NAMES = ['a', 'b', 'c', 'd'];
const INSTANTS = ['2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'];

interface Declared {
  validFrom: string | null;
  validUntil: string | null;
  supersedes: string[];
}
interface Change extends Declared {
  name: string;
  /** `declare`: the same content with other declarations. */
  kind: 'edit' | 'declare' | 'fail' | 'delete';
}
/** What held of an item at a time. */
interface State extends Declared {
  itemId: string;
  latest: number;
  live: number | null;
  body: string;
}

const declared = fc
  .record({
    from: fc.option(fc.integer({ min: 0, max: 1 })),
    until: fc.option(fc.constant(2)),
    supersedes: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
  })
  .map(({ from, until, supersedes }): Declared => ({
    validFrom: from === null ? null : INSTANTS[from]!,
    validUntil: until === null ? null : INSTANTS[until]!,
    supersedes,
  }));
const change = fc
  .tuple(
    declared,
    fc.constantFrom(...NAMES),
    fc.constantFrom<Change['kind'][]>('edit', 'edit', 'declare', 'declare', 'fail', 'delete'),
  )
  .map(([what, name, kind]): Change => ({ ...what, name, kind }));

describeOnPostgres('what an item declares', (postgres) => {
  let reader: Database;
  let views: RetrievalViews;
  beforeAll(() => {
    reader = new Database({ url: postgres.url, applicationName: 'views', readOnly: true, unscoped: 'owner' });
    views = new RetrievalViews(reader);
  });
  afterAll(() => reader.close());

  /** One tenant, its items and what was true after each change. */
  class History {
    readonly states = new Map<string, State>();
    readonly deleted = new Set<string>();
    readonly past: { at: string; states: Map<string, State> }[] = [];

    private constructor(
      readonly tenant: TestTenant,
      readonly keyId: string,
    ) {}

    static async create(): Promise<History> {
      const tenant = await TestTenant.create(postgres.database);
      return new History(tenant, (await tenant.addKey()).id);
    }

    async apply({ name, kind, ...what }: Change, number: number): Promise<void> {
      const before = this.states.get(name);
      if (kind === 'delete') {
        if (before) await this.tenant.tombstone(before.itemId);
        this.states.delete(name);
        if (before) this.deleted.add(before.itemId);
      } else {
        const body = kind === 'declare' && before ? before.body : `body ${number}`;
        const document: IngestDocument = buildDocument({ externalId: name, body, ...what });
        const item = await this.tenant.acceptOne(document);
        const isNew = item.version !== before?.latest;
        if (isNew && kind === 'fail')
          await postgres.database.transaction((transaction) =>
            failVersion(transaction, this.tenant.job(item), new AppError('EXTRACT.EMPTY')),
          );
        else if (isNew) await this.tenant.index(item, body);
        const live = isNew && kind !== 'fail' ? item.version : (before?.live ?? null);
        this.states.set(name, { ...what, itemId: item.itemId, latest: item.version, live, body });
      }
      this.past.push({ at: await this.readTime(), states: new Map(this.states) });
    }

    /** The newest time that the change itself wrote. */
    private async readTime(): Promise<string> {
      const [row] = await postgres.query<{ at: Date }>(
        `SELECT max(at) AS at FROM (SELECT recorded_at AS at FROM item_versions WHERE tenant_id = $1
           UNION ALL SELECT known_from FROM item_declarations WHERE tenant_id = $1
           UNION ALL SELECT known_until FROM item_declarations WHERE tenant_id = $1
           UNION ALL SELECT updated_at FROM source_items WHERE tenant_id = $1) times`,
        [this.tenant.id],
      );
      return row?.at?.toISOString() ?? '1970-01-01T00:00:00.000Z';
    }

    /** Of each item that is there: its current version and what is declared of it. */
    async answer(knownAsOf: string | null): Promise<Record<string, unknown>> {
      const versions = await postgres.query<{ item_id: string; version: number }>(
        'SELECT item_id, version FROM item_versions WHERE tenant_id = $1',
        [this.tenant.id],
      );
      const candidates = versions.map(({ item_id: itemId, version }) => ({ itemId, version }));
      const { heads } = await views.recheck(this.keyId, candidates, knownAsOf);
      const current = [...heads.values()].filter((head) => head.current);
      expect(new Set(current.map((head) => head.itemId)).size).toBe(current.length);
      return Object.fromEntries(current.map((head) => [head.itemId, toAnswer(head)]));
    }
  }

  function toAnswer({ version, validFrom, validUntil, superseded }: ItemHead): object {
    return {
      version,
      validFrom: validFrom?.toISOString() ?? null,
      validUntil: validUntil?.toISOString() ?? null,
      superseded,
    };
  }

  /** Only what is valid replaces something. */
  function isValid({ validFrom, validUntil }: State, at: string): boolean {
    return (validFrom === null || validFrom <= at) && (validUntil === null || validUntil > at);
  }

  /** By the rule, from what held then and what has been deleted since. */
  function expected(
    states: ReadonlyMap<string, State>,
    deleted: ReadonlySet<string>,
    at = new Date().toISOString(),
  ): Record<string, unknown> {
    const there = [...states].filter(([, state]) => state.live !== null && !deleted.has(state.itemId));
    return Object.fromEntries(
      there.map(([name, { itemId, live: version, validFrom, validUntil }]) => {
        const superseded = there.some(
          ([other, state]) => other !== name && state.supersedes.includes(name) && isValid(state, at),
        );
        return [itemId, { version, validFrom, validUntil, superseded }];
      }),
    );
  }

  it('is remembered: what was eligible at any time is eligible again as of it, whatever came after', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 9 }), async (changes) => {
        const history = await History.create();
        for (const [number, each] of changes.entries()) {
          await history.apply(each, number);
          expect(await history.answer(null)).toEqual(expected(history.states, history.deleted));
        }
        for (const { at, states } of history.past) {
          expect(await history.answer(at)).toEqual(expected(states, history.deleted, at));
        }
      }),
      { numRuns: 12 },
    );
  });

  describe('its record', () => {
    const rowsOf = (itemId: string): Promise<{ supersedes: string[]; open: boolean }[]> =>
      postgres.query(
        `SELECT supersedes, known_until IS NULL AS open FROM item_declarations WHERE item_id = $1 ORDER BY known_from`,
        [itemId],
      );

    it('holds nothing of items that declare nothing, and goes with its item', async () => {
      const tenant = await TestTenant.create(postgres.database);
      const plain = await tenant.add(buildDocument());
      expect(await rowsOf(plain.itemId)).toEqual([]);
      const document = buildDocument({ supersedes: ['x'] });
      const { itemId } = await tenant.add(document);
      await tenant.acceptOne({ ...document, supersedes: ['x', 'y'] });
      await tenant.acceptOne({ ...document, supersedes: ['x', 'y'], tags: ['new'] });
      await tenant.acceptOne({ ...document, supersedes: [] });
      expect(await rowsOf(itemId)).toEqual([
        { supersedes: ['x'], open: false },
        { supersedes: ['x', 'y'], open: false },
      ]);
      await tenant.tombstone(itemId);
      expect(await rowsOf(itemId)).toEqual([]);
    });

    it('never overlaps, also when a transaction that began earlier ends later', async () => {
      const tenant = await TestTenant.create(postgres.database);
      const document = buildDocument({ supersedes: ['first'] });
      const { itemId } = await tenant.add(document);
      await postgres.database.transaction(async (transaction) => {
        // Its now() is taken here, before the other one's.
        await transaction.query('SELECT now()');
        await tenant.acceptOne({ ...document, supersedes: ['second'] });
        await transaction.query(`UPDATE source_items SET supersedes = '{third}' WHERE id = $1`, [itemId]);
      });
      expect(await rowsOf(itemId)).toEqual([
        { supersedes: ['first'], open: false },
        { supersedes: ['third'], open: true },
      ]);
      const [overlaps] = await postgres.query<{ count: string }>(
        `SELECT count(*) FROM item_declarations l JOIN item_declarations r ON r.item_id = l.item_id
           AND r.known_from > l.known_from AND (l.known_until IS NULL OR l.known_until > r.known_from)
         WHERE l.item_id = $1`,
        [itemId],
      );
      expect(Number(overlaps?.count)).toBe(0);
    });
  });
});
