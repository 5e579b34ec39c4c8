import { asList, isObject, readSlackBlocks } from './read-slack-blocks.js';
import { renderSlackText } from './render-slack-text.js';
import { isSlackTombstone, type SlackMessage, type SlackNames } from './slack-message.js';

const DELETED = '(this message was deleted)';

/** One message's own words: text or blocks, what its attachments say, and its files by name. '' when it says nothing. */
export function renderSlackMessage(message: SlackMessage, names: SlackNames): string {
  if (isSlackTombstone(message)) return DELETED;
  const text = renderSlackText(message.text ?? '', names).trim();
  const words = text === '' ? readSlackBlocks(message.blocks, names).trim() : text;
  return [words, ...readAttachments(message.attachments, names), ...listFiles(message.files)]
    .filter((part) => part !== '')
    .join('\n');
}

/** Who wrote it, by the name that is known now; for one who left or was never seen, what the message carries. */
export function nameSlackAuthor(message: SlackMessage, names: SlackNames): string | null {
  const known = message.user === undefined ? null : names.user(message.user);
  const carried = [
    message.username,
    message.bot_profile?.name,
    message.user_profile?.display_name,
    message.user_profile?.real_name,
    message.user,
    message.bot_id,
  ].find((name) => name !== undefined && name.trim() !== '');
  return known ?? carried ?? null;
}

/** What bots and previews attach. The fallback is for clients that show none of the rest. */
function readAttachments(attachments: unknown, names: SlackNames): string[] {
  return asList(attachments).map((attachment) => {
    if (!isObject(attachment)) return '';
    const fields = asList(attachment['fields']).map((field) =>
      isObject(field) ? `${readText(field['title'], names)}: ${readText(field['value'], names)}` : '',
    );
    const shown = [
      readText(attachment['pretext'], names),
      readText(attachment['title'], names),
      readText(attachment['text'], names) || readSlackBlocks(attachment['blocks'], names).trim(),
      ...fields,
    ].filter((part) => part !== '' && part !== ': ');
    return shown.length > 0 ? shown.join('\n') : readText(attachment['fallback'], names);
  });
}

/** Deleted and hidden files ("tombstone", "hidden_by_limit") have no name and are left out. */
function listFiles(files: unknown): string[] {
  return asList(files).flatMap((file) => {
    if (!isObject(file)) return [];
    const name = file['title'] ?? file['name'];
    if (typeof name !== 'string' || name === '' || file['mode'] === 'tombstone') return [];
    const link = typeof file['permalink'] === 'string' ? ` (${file['permalink']})` : '';
    return [`[file] ${name}${link}`];
  });
}

function readText(value: unknown, names: SlackNames): string {
  return typeof value === 'string' ? renderSlackText(value, names).trim() : '';
}
