import { describe, expect, it } from '@jest/globals';
import { readSlackEvent } from './read-slack-event.js';

const read = (event: unknown) => readSlackEvent(Buffer.from(JSON.stringify({ type: 'event_callback', event })));

describe('readSlackEvent', () => {
  it('answers the challenge', () => {
    const body = Buffer.from(JSON.stringify({ type: 'url_verification', token: 'x', challenge: 'c' }));
    expect(readSlackEvent(body)).toEqual({ kind: 'verification', challenge: 'c' });
  });

  it.each(['message', 'channel_rename', 'member_joined_channel', 'member_left_channel', 'channel_deleted'])(
    'takes %s for a change',
    (type) => {
      expect(read({ type, channel: 'C1' })).toEqual({ kind: 'change', type, subtype: null, deletedExternalId: null });
    },
  );

  it('names the thread that goes with its first message', () => {
    const deletion = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '1.2' };
    expect(read(deletion)).toMatchObject({ deletedExternalId: 'C1:1.2' });
    expect(read({ ...deletion, previous_message: { thread_ts: '1.2' } })).toMatchObject({
      deletedExternalId: 'C1:1.2',
    });
  });

  it('names none where the thread stays: a reply, replies left behind, an edit', () => {
    const deletion = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '1.2' };
    for (const event of [
      { ...deletion, previous_message: { thread_ts: '1.1' } },
      { ...deletion, previous_message: { thread_ts: '1.2', reply_count: 2 } },
      { ...deletion, subtype: 'message_changed' },
      { type: 'message', subtype: 'message_deleted' },
    ])
      expect(read(event)).toMatchObject({ kind: 'change', deletedExternalId: null });
  });

  it.each([
    ['another event', Buffer.from('{"type":"event_callback","event":{"type":"emoji_changed"}}')],
    ['no event', Buffer.from('{"type":"event_callback"}')],
    ['no object', Buffer.from('[1]')],
    ['no JSON', Buffer.from('payload=%7B%7D')],
    ['nothing', Buffer.alloc(0)],
  ])('does nothing about %s', (_name, body) => {
    expect(readSlackEvent(body)).toEqual({ kind: 'other' });
  });
});
