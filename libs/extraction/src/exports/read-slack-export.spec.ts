import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { ingestDocumentSchema, type IngestDocument } from '@candor/contracts';
import { openExport, type ExportItem } from './export-source.js';
import { isSlackExport, readSlackExport, type SlackExportOptions } from './read-slack-export.js';

const USERS = [
  { id: 'U1', name: 'ada', real_name: 'Ada Lovelace', profile: { display_name: 'ada', email: 'Ada@Acme.example' } },
  { id: 'U2', name: 'bob', profile: { real_name: 'Bob Babbage' } },
];
const FILES: Record<string, unknown> = {
  'users.json': USERS,
  'channels.json': [{ id: 'C1', name: 'general', members: ['U1', 'U2'], is_archived: false }],
  'groups.json': [{ id: 'G1', name: 'board', members: ['U1'], is_archived: true }],
  'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
  'mpims.json': [{ id: 'M1', name: 'mpdm-ada--bob-1' }],
  'integration_logs.json': [],
  'general/2026-01-05.json': [
    { type: 'message', subtype: 'channel_join', user: 'U2', ts: '1767600000.000100', text: '<@U2> has joined' },
    {
      type: 'message',
      user: 'U1',
      ts: '1767607200.000200',
      thread_ts: '1767607200.000200',
      text: 'When is the <#C1|general> audit, <@U2>?',
    },
  ],
  'general/2026-01-06.json': [
    {
      type: 'message',
      user: 'U2',
      ts: '1767693600.000100',
      thread_ts: '1767607200.000200',
      text: 'On 5 March &amp; not before.',
    },
    { type: 'message', user: 'U9', user_profile: { real_name: 'Gone Guy' }, ts: '1767697200.000100', text: 'Lunch?' },
  ],
  'board/2026-01-05.json': [{ type: 'message', user: 'U1', ts: '1767607300.000100', text: 'The merger is off.' }],
  'D1/2026-01-05.json': [{ type: 'message', user: 'U2', ts: '1767607400.000100', text: 'Just between us.' }],
  'mpdm-ada--bob-1/2026-01-05.json': [
    { type: 'message', user: 'U2', ts: '1767607500.000100', text: 'Members unknown.' },
  ],
  'stray/2026-01-05.json': [{ type: 'message', user: 'U2', ts: '1767607600.000100', text: 'Whose channel is this?' }],
};

describe('readSlackExport', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slack-export-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function read(options: SlackExportOptions = {}, files = FILES): Promise<ExportItem[]> {
    const path = join(folder, 'export.zip');
    const packed = Object.entries(files).map(([name, value]) => [
      name,
      strToU8(typeof value === 'string' ? value : JSON.stringify(value)),
    ]);
    await writeFile(path, zipSync(Object.fromEntries(packed)));
    const source = await openExport(path);
    expect(isSlackExport(source)).toBe(true);
    const items: ExportItem[] = [];
    for await (const item of readSlackExport(source, options)) items.push(item);
    return items;
  }
  const documentsOf = (items: readonly ExportItem[]): IngestDocument[] =>
    items.flatMap((item) => (item.kind === 'document' ? [item.document] : []));

  it('makes a document of each thread, across days, with names in place of ids', async () => {
    const [thread, lunch] = documentsOf(await read({ workspaceUrl: 'https://acme.slack.com/' }));
    expect(thread).toEqual({
      provider: 'slack',
      sourceKind: 'message',
      externalId: 'C1:1767607200.000200',
      title: 'When is the #general audit, @Bob Babbage?',
      body:
        'ada, 2026-01-05 10:00 UTC:\nWhen is the #general audit, @Bob Babbage?\n\n' +
        'Bob Babbage, 2026-01-06 10:00 UTC:\nOn 5 March & not before.',
      mimeType: 'text/plain',
      url: 'https://acme.slack.com/archives/C1/p1767607200000200',
      authorName: 'ada',
      sourceCreatedAt: '2026-01-05T10:00:00.000Z',
      sourceUpdatedAt: '2026-01-06T10:00:00.000Z',
      accessPolicy: { provider: 'slack', channelId: 'C1', isPrivate: false, mode: 'provider_scope' },
      metadata: {
        channelId: 'C1',
        channelName: 'general',
        isPrivate: false,
        isArchived: false,
        threadTs: '1767607200.000200',
        replyCount: 1,
        participants: ['ada', 'Bob Babbage'],
      },
    });
    expect(lunch).toMatchObject({ title: 'Lunch?', authorName: 'Gone Guy' });
  });

  it('keeps private conversations for their members, and withholds those whose members are unknown', async () => {
    const documents = documentsOf(await read());
    const policyOf = (title: string): unknown => documents.find((document) => document.title === title)?.accessPolicy;
    expect(policyOf('The merger is off.')).toEqual({
      provider: 'slack',
      channelId: 'G1',
      isPrivate: true,
      mode: 'acl',
      principals: ['channel:G1', 'user:ada@acme.example'],
      memberIds: ['U1'],
    });
    expect(policyOf('Just between us.')).toMatchObject({
      mode: 'acl',
      principals: ['channel:D1', 'user:ada@acme.example', 'user:U2'],
    });
    expect(policyOf('Members unknown.')).toBeNull();
  });

  it('makes only documents that the API takes', async () => {
    for (const document of documentsOf(await read()))
      expect(ingestDocumentSchema.safeParse(document).success).toBe(true);
  });

  it('reports what it can not place or read, and goes on', async () => {
    const broken = { 'general/2026-01-07.json': '[{"ts":', 'general/2026-01-08.json': [{ text: 'When?' }, null] };
    const items = await read({}, { ...FILES, ...broken });
    expect(items.filter(({ kind }) => kind === 'problem')).toEqual([
      { kind: 'problem', name: 'general/2026-01-07.json', message: 'The file is not a list of messages.' },
      {
        kind: 'problem',
        name: 'general/2026-01-08.json',
        message: '2 of its entries are no messages: they have no time.',
      },
      { kind: 'problem', name: 'stray/', message: 'No list of channels names it: who may read it is unknown.' },
    ]);
    expect(documentsOf(items)).toHaveLength(5);
  });

  it('reads the wanted channels only', async () => {
    expect(documentsOf(await read({ channels: ['board', 'D1'] })).map(({ title }) => title)).toEqual([
      'The merger is off.',
      'Just between us.',
    ]);
  });

  it('reports a wanted channel that there is not', async () => {
    expect(await read({ channels: ['bord'] })).toContainEqual({
      kind: 'problem',
      name: 'bord',
      message: 'The export has no channel of this name or id.',
    });
  });
});
