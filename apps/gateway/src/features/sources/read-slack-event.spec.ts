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
      expect(read({ type, channel: 'C1' })).toEqual({
        kind: 'change',
        type,
        subtype: null,
        deletedExternalId: null,
        changedExternalId: null,
      });
    },
  );

  it('names the thread that goes with its first message', () => {
    const deletion = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '1.2' };
    expect(read(deletion)).toMatchObject({ deletedExternalId: 'C1:1.2' });
    expect(read({ ...deletion, previous_message: { thread_ts: '1.2' } })).toMatchObject({
      deletedExternalId: 'C1:1.2',
    });
  });

  it('names the thread that stays and has to be read again: a reply deleted or left behind, an edit, a new reply', () => {
    const message = { type: 'message', channel: 'C1' };
    const deletion = { ...message, subtype: 'message_deleted', deleted_ts: '1.2' };
    for (const event of [
      { ...deletion, previous_message: { thread_ts: '1.1' } },
      { ...deletion, deleted_ts: '1.1', previous_message: { thread_ts: '1.1', reply_count: 2 } },
      { ...message, subtype: 'message_changed', message: { ts: '1.1' } },
      { ...message, subtype: 'message_changed', message: { ts: '1.2', thread_ts: '1.1' } },
      { ...message, ts: '1.3', thread_ts: '1.1' },
    ])
      expect(read(event)).toMatchObject({ deletedExternalId: null, changedExternalId: 'C1:1.1' });
  });

  it('names none of a new message, nor where nothing is told', () => {
    const message = { type: 'message', channel: 'C1' };
    for (const event of [
      { ...message, ts: '1.2' },
      { ...message, ts: '1.2', thread_ts: '1.2' },
      { ...message, subtype: 'message_deleted' },
      { ...message, subtype: 'message_changed' },
      { type: 'message', subtype: 'message_deleted', deleted_ts: '1.2' },
    ])
      expect(read(event)).toMatchObject({ kind: 'change', deletedExternalId: null, changedExternalId: null });
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
