import { describe, expect, it } from '@jest/globals';
import { renderSlackText } from './render-slack-text.js';
import { groupSlackThreads, renderSlackThread } from './render-slack-thread.js';
import { compareSlackTs, isSlackContent, parseSlackTs, type SlackMessage, type SlackNames } from './slack-message.js';

const names: SlackNames = {
  user: (id) => ({ U1: 'Ana', U2: 'Ben' })[id] ?? null,
  channel: (id) => (id === 'C1' ? 'general' : null),
};
const at = (seconds: number, sequence = '000100'): string => `${String(1_770_000_000 + seconds)}.${sequence}`;
const say = (ts: string, text: string, more: Partial<SlackMessage> = {}): SlackMessage => ({
  ts,
  user: 'U1',
  text,
  ...more,
});
const only = (message: Partial<SlackMessage>): string =>
  renderSlackThread([{ ts: at(0), user: 'U1', ...message }], names)
    ?.text.split('\n')
    .slice(1)
    .join('\n') ?? '';

describe('renderSlackText', () => {
  it.each([
    ['hi <@U1> and <@U9|zoe> and <@U8>', 'hi @Ana and @zoe and @U8'],
    ['see <#C1|old-name>, <#C9|secret>, <#C8>', 'see #general, #secret, #C8'],
    [
      '<https://a.example?x=1&amp;y=2|the page> <https://b.example>',
      'the page (https://a.example?x=1&y=2) https://b.example',
    ],
    ['<mailto:a@b.example|a@b.example> <tel:+1|call>', 'a@b.example call (+1)'],
    ['<!here> <!channel> <!subteam^S1|@ops> <!subteam^S2>', '@here @channel @ops @S2'],
    ['<!date^1770000000^{date}|Feb 2>', 'Feb 2'],
    ['1 &lt; 2 &amp;&amp; 3 &gt; 2, not &amp;lt;', '1 < 2 && 3 > 2, not &lt;'],
    ['*bold* _it_ `a<b` :tada: ```x\ny```', '*bold* _it_ `a<b` :tada: ```x\ny```'],
    ['naïve 日本語 👩‍👩‍👧 שלום', 'naïve 日本語 👩‍👩‍👧 שלום'],
  ])('%s', (text, rendered) => expect(renderSlackText(text, names)).toBe(rendered));
});

describe('renderSlackThread', () => {
  it('puts messages in order, once each, with author, time and edits', () => {
    const thread = renderSlackThread(
      [
        say(at(60), 'Second', { user: 'U2', thread_ts: at(0), edited: { ts: at(600) } }),
        say(at(0), 'First *thing*', { thread_ts: at(0) }),
        say(at(60), 'Second', { user: 'U2', thread_ts: at(0), edited: { ts: at(600) } }),
        say(at(30), '<@U2> has joined', { subtype: 'channel_join' }),
      ],
      names,
    );
    expect(thread).toEqual({
      title: 'First *thing*',
      text: 'Ana, 2026-02-02 02:40 UTC:\nFirst *thing*\n\nBen, 2026-02-02 02:41 UTC, edited:\nSecond',
      authorName: 'Ana',
      createdAt: new Date(1_770_000_000_000),
      updatedAt: new Date(1_770_000_600_000),
      participants: ['Ana', 'Ben'],
    });
  });

  it('shortens titles at a word, and never within a character', () => {
    const title = (text: string): string => renderSlackThread([say(at(0), text)], names)?.title ?? '';
    expect(title('word '.repeat(40))).toBe(`${'word '.repeat(23)}word…`);
    expect(title('😀'.repeat(100))).toBe(`${'😀'.repeat(60)}…`);
    expect(title(`x${'😀'.repeat(100)}`)).not.toMatch(/\p{Cs}/u);
    expect(title('two\n\n  lines')).toBe('two lines');
  });

  it('reads blocks when there is no text, and what is attached', () => {
    const section = (elements: unknown[]) => ({ type: 'rich_text_section', elements });
    expect(
      only({
        text: '',
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: 'Deploy' } },
          { type: 'section', text: { type: 'mrkdwn', text: 'by <@U1>' }, fields: [{ type: 'mrkdwn', text: '*ok*' }] },
          {
            type: 'rich_text',
            elements: [
              section([
                { type: 'text', text: 'Ask ' },
                { type: 'user', user_id: 'U2' },
                { type: 'emoji', name: 'tada' },
              ]),
              {
                type: 'rich_text_list',
                style: 'ordered',
                elements: [
                  section([{ type: 'text', text: 'one' }]),
                  section([{ type: 'link', url: 'https://a.example', text: 'two' }]),
                ],
              },
              { type: 'rich_text_quote', elements: [{ type: 'text', text: 'said' }] },
              { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'code' }] },
            ],
          },
          { type: 'divider' },
          {
            type: 'context',
            elements: [
              { type: 'mrkdwn', text: 'in <#C1>' },
              { type: 'image', image_url: 'x' },
            ],
          },
        ],
      }),
    ).toBe(
      'Deploy\nby @Ana\n*ok*\nAsk @Ben:tada:\n1. one\n2. two (https://a.example)\n> said\n```\ncode\n```\nin #general',
    );
    expect(
      only({
        text: 'Look',
        attachments: [
          { title: 'Build 7', text: 'failed &amp; gone', fields: [{ title: 'Branch', value: 'main' }] },
          { fallback: 'plain' },
        ],
        files: [
          { name: 'a.pdf', title: 'Plan', permalink: 'https://f.example/1' },
          { mode: 'tombstone', name: 'gone.txt' },
          null,
        ],
      }),
    ).toBe('Look\nBuild 7\nfailed & gone\nBranch: main\nplain\n[file] Plan (https://f.example/1)');
  });

  it('names bots and those who left by what the message carries', () => {
    const author = (message: Partial<SlackMessage>): string | null | undefined =>
      renderSlackThread([{ ts: at(0), text: 'x', ...message }], names)?.authorName;
    expect(author({ bot_id: 'B1', username: 'deploybot' })).toBe('deploybot');
    expect(author({ bot_id: 'B1', bot_profile: { name: 'CI' } })).toBe('CI');
    expect(author({ user: 'U9', user_profile: { real_name: 'Zoe Left' } })).toBe('Zoe Left');
    expect(author({ user: 'U9' })).toBe('U9');
    expect(author({})).toBeNull();
  });

  it('keeps the place of a deleted root, and nothing where nothing is said', () => {
    const tombstone = say(at(0), 'This message was deleted.', {
      subtype: 'tombstone',
      hidden: true,
      user: 'USLACKBOT',
    });
    expect(renderSlackThread([tombstone, say(at(5), 'Reply', { thread_ts: at(0) })], names)).toMatchObject({
      title: 'Reply',
      authorName: 'Ana',
      text: expect.stringMatching(/^2026-.+ UTC:\n\(this message was deleted\)\n\nAna, /),
    });
    expect(renderSlackThread([tombstone], names)).toBeNull();
    expect(renderSlackThread([say(at(0), ' ')], names)).toBeNull();
    expect(renderSlackThread([], names)).toBeNull();
  });

  it.each([null, 7, 'text', [null, 1, 'x', {}, { type: 'rich_text', elements: 5 }]])(
    'survives %j where blocks belong',
    (odd) => {
      expect(only({ text: 'fine', blocks: odd, attachments: odd, files: odd })).toBe('fine');
      expect(() => only({ text: null, blocks: odd, attachments: odd, files: odd })).not.toThrow();
    },
  );
});

describe('threads and timestamps', () => {
  it('groups by root, without joins', () => {
    const threads = groupSlackThreads([
      say(at(0), 'a'),
      say(at(1), 'b', { thread_ts: at(0) }),
      say(at(2), 'c'),
      say(at(3), 'joined', { subtype: 'channel_join' }),
    ]);
    expect([...threads].map(([ts, messages]) => [ts, messages.length])).toEqual([
      [at(0), 2],
      [at(2), 1],
    ]);
  });

  it('orders by seconds, then sequence, and reads time', () => {
    expect(compareSlackTs('9.000001', '10.000000')).toBeLessThan(0);
    expect(compareSlackTs('10.000002', '10.000010')).toBeLessThan(0);
    expect(parseSlackTs('1770000000.000100')?.toISOString()).toBe('2026-02-02T02:40:00.000Z');
    expect(parseSlackTs('soon')).toBeNull();
    expect(isSlackContent(say(at(0), 'x', { hidden: true }))).toBe(false);
  });
});
