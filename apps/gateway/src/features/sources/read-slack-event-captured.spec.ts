import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readSlackEvent, type SlackEvent } from './read-slack-event.js';

interface Sample {
  type: string;
  event?: Record<string, unknown>;
}

/** Every event that Slack documents, of java-slack-sdk: where from and under which licence stands with the worker's captured answers. */
const samples = JSON.parse(readFileSync(new URL('./testing/slack-events.json', import.meta.url), 'utf8')) as Record<
  string,
  Sample
>;

/** The samples have every field and no values; `fields` are those that the reading depends on. */
function read(name: string, fields: Record<string, unknown> = {}): SlackEvent {
  const { event, ...envelope } = samples[name] ?? { type: '' };
  const body = { ...envelope, type: envelope.type || 'event_callback', event: { ...event, ...fields } };
  return readSlackEvent(Buffer.from(JSON.stringify(body)));
}

const CHANNELS = [
  ...['ChannelArchive', 'ChannelCreated', 'ChannelDeleted', 'ChannelHistoryChanged', 'ChannelLeft', 'ChannelRename'],
  ...['ChannelUnarchive', 'GroupArchive', 'GroupDeleted', 'GroupHistoryChanged', 'GroupLeft', 'GroupRename'],
  ...['GroupUnarchive', 'MemberJoinedChannel', 'MemberLeftChannel'],
];
const isOfMessage = (name: string): boolean => name.startsWith('Message');

describe('readSlackEvent on samples of every event', () => {
  it('takes messages, and what happens to channels and their members, for changes, and nothing else', () => {
    const changes = Object.keys(samples).filter((name) => read(name).kind === 'change');
    expect(changes).toEqual(Object.keys(samples).filter((name) => isOfMessage(name) || CHANNELS.includes(name)));
    expect(changes).toHaveLength(32);
    expect(Object.keys(samples).every((name) => ['change', 'other'].includes(read(name).kind))).toBe(true);
  });

  it.each(CHANNELS)('%s names no thread', (name) => {
    expect(read(name)).toMatchObject({ kind: 'change', deletedExternalId: null, changedExternalId: null });
  });

  const message = { channel: 'C1', ts: '2.1', event_ts: '2.1' };
  const root = { ts: '1.1', thread_ts: '1.1' };
  it.each<[string, Record<string, unknown>, string | null, string | null]>([
    ['Message', { ...message, thread_ts: undefined }, null, null],
    ['Message', { ...message, thread_ts: '1.1' }, null, 'C1:1.1'],
    ['MessageThreadBroadcast', { ...message, thread_ts: '1.1' }, null, 'C1:1.1'],
    ['MessageFileShare', { ...message, thread_ts: '1.1' }, null, 'C1:1.1'],
    ['MessageBot', { ...message, thread_ts: '1.1' }, null, 'C1:1.1'],
    ['MessageMe', message, null, null],
    ['MessageDeleted', { ...message, deleted_ts: '1.1', previous_message: { ts: '1.1' } }, 'C1:1.1', null],
    [
      'MessageDeleted',
      { ...message, deleted_ts: '1.1', previous_message: { ...root, reply_count: 2 } },
      null,
      'C1:1.1',
    ],
    ['MessageDeleted', { ...message, deleted_ts: '1.2', previous_message: { ...root, ts: '1.2' } }, null, 'C1:1.1'],
    ['MessageChannelTopic', message, null, null],
  ])('%s with %j: deleted %s, to be read again %s', (name, fields, deletedExternalId, changedExternalId) => {
    expect(read(name, fields)).toMatchObject({ kind: 'change', type: 'message', deletedExternalId, changedExternalId });
  });
});
