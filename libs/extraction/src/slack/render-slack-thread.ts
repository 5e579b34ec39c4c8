import { nameSlackAuthor, renderSlackMessage } from './render-slack-message.js';
import {
  compareSlackTs,
  isSlackContent,
  isSlackTombstone,
  parseSlackTs,
  readThreadTs,
  type SlackMessage,
  type SlackNames,
} from './slack-message.js';

const MAX_TITLE = 120;

export interface SlackThread {
  /** The root's words on one line, at most 120 characters. */
  title: string;
  /** Plain text; a paragraph a message, each begun by its author and time (UTC). */
  text: string;
  authorName: string | null;
  createdAt: Date | null;
  /** Of the newest message or edit. */
  updatedAt: Date | null;
  /** Everyone who wrote in it, in order of appearance. */
  participants: string[];
}

/** A root and its replies, in any order and possibly repeated, as one document; null when nothing is said in it. */
export function renderSlackThread(messages: readonly SlackMessage[], names: SlackNames): SlackThread | null {
  const unique = new Map(messages.filter(isSlackContent).map((message) => [message.ts, message]));
  const spoken = [...unique.values()]
    .sort((left, right) => compareSlackTs(left.ts, right.ts))
    .map((message) => ({ message, words: renderSlackMessage(message, names), author: nameSlackAuthor(message, names) }))
    .filter(({ words }) => words !== '');
  const authored = spoken.filter(({ message }) => !isSlackTombstone(message));
  const first = authored[0];
  if (first === undefined) return null;
  const edits = authored.flatMap(({ message }) => [message.ts, message.edited?.ts ?? message.ts]).sort(compareSlackTs);
  return {
    title: shortenTitle(first.words),
    text: spoken.map(({ message, words, author }) => `${nameLine(message, author)}\n${words}`).join('\n\n'),
    authorName: first.author,
    createdAt: parseSlackTs(spoken[0]?.message.ts),
    updatedAt: parseSlackTs(edits.at(-1)),
    participants: [...new Set(authored.flatMap(({ author }) => (author === null ? [] : [author])))],
  };
}

/** Messages of a channel by their thread, for sources that hold them in one list. Joins and the like are left out. */
export function groupSlackThreads(messages: readonly SlackMessage[]): Map<string, SlackMessage[]> {
  const threads = new Map<string, SlackMessage[]>();
  for (const message of messages.filter(isSlackContent)) {
    const threadTs = readThreadTs(message);
    threads.set(threadTs, [...(threads.get(threadTs) ?? []), message]);
  }
  return threads;
}

function nameLine(message: SlackMessage, author: string | null): string {
  const time = parseSlackTs(message.ts)?.toISOString().slice(0, 16).replace('T', ' ');
  const edited = message.edited?.ts === undefined ? '' : ', edited';
  const who = isSlackTombstone(message) ? null : author;
  return `${[who, time === undefined ? undefined : `${time} UTC`].filter(Boolean).join(', ')}${edited}:`;
}

function shortenTitle(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= MAX_TITLE) return line;
  const cut = line.slice(0, MAX_TITLE);
  const space = cut.lastIndexOf(' ');
  // No space nearby: cut between characters, not within a surrogate pair.
  const kept = space > MAX_TITLE / 2 ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}…`;
}
