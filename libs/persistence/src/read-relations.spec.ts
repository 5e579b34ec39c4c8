import { describe, expect, it } from '@jest/globals';
import { findLinks, readRelations } from './read-relations.js';

describe('readRelations', () => {
  it('reads what a document says of itself and of others', () => {
    const document = {
      supersedes: ['old-1', 'old-2'],
      metadata: { status: ' Archived ', threadId: 't1', replyTo: 'm0' },
    };
    expect(readRelations(document)).toEqual([
      { kind: 'supersedes', target: 'old-1' },
      { kind: 'supersedes', target: 'old-2' },
      { kind: 'reply_of', target: 'm0' },
      { kind: 'same_thread', target: 't1' },
      { kind: 'status', target: 'archived' },
    ]);
  });

  it('keeps threads of two channels apart', () => {
    const of = (metadata: Record<string, string>) => readRelations({ metadata });
    expect(of({ threadTs: '17.1', channelId: 'C1', channelName: 'one' })).toEqual([
      { kind: 'same_thread', target: 'C1:17.1' },
    ]);
    expect(of({ threadTs: '17.1', channelName: 'two' })).toEqual([{ kind: 'same_thread', target: 'two:17.1' }]);
  });

  it.each([
    ['nothing', {}],
    ['what is no text', { metadata: { status: 3, threadId: null, replyTo: ['a'] } }],
    ['blanks', { metadata: { status: ' ', threadId: '', inReplyTo: '\n' } }],
    ['what is too long to name an item', { metadata: { replyTo: 'x'.repeat(513) } }],
    ['what Postgres could not store', { metadata: { replyTo: 'a\0b' } }],
  ])('leaves out %s', (_, document) => {
    expect(readRelations(document)).toEqual([]);
  });
});

describe('findLinks', () => {
  it.each([
    ['See https://x.example/a.', ['https://x.example/a']],
    ['[page](https://x.example/a/) and <http://y.example/b?c=1#d>', ['https://x.example/a', 'http://y.example/b?c=1']],
    ['(https://x.example/wiki/A_(b)), twice: https://x.example/wiki/A_(b)#part', ['https://x.example/wiki/A_(b)']],
    ['**https://x.example/a**', ['https://x.example/a']],
    ['mailto:a@x.example ftp://x.example no link', []],
    [`https://x.example/${'a'.repeat(600)}`, []],
  ])('in %s', (text, links) => {
    expect(findLinks(text)).toEqual(links);
  });

  it('stops at 200', () => {
    const text = Array.from({ length: 300 }, (_, index) => `https://x.example/${index}`).join(' ');
    expect(findLinks(text)).toHaveLength(200);
  });
});
