import type { SlackNames } from './slack-message.js';

/**
 * Slack's `mrkdwn` as a person reads it: mentions, channels and dates by name, links with their label, entities decoded;
 * emphasis, code and `:emoji:` as written.
 */
export function renderSlackText(text: string, names: SlackNames): string {
  return decodeEntities(text.replaceAll(/<([^<>\n]+)>/g, (_, token: string) => renderToken(token, names)));
}

function renderToken(token: string, names: SlackNames): string {
  const separator = token.indexOf('|');
  const target = separator === -1 ? token : token.slice(0, separator);
  const label = separator === -1 ? '' : token.slice(separator + 1);
  const id = target.slice(1);
  switch (target[0]) {
    case '@':
      return `@${names.user(id) ?? (label || id)}`;
    case '#':
      return `#${names.channel(id) ?? (label || id)}`;
    case '!':
      return renderCommand(id, label);
    default:
      return renderLink(target, label);
  }
}

function renderCommand(command: string, label: string): string {
  if (command.startsWith('date^')) return label || command;
  if (command.startsWith('subteam^')) return label || `@${command.slice('subteam^'.length)}`;
  return `@${command}`;
}

function renderLink(target: string, label: string): string {
  const address = target.replace(/^(?:mailto|tel):/, '');
  if (label === '' || label === address || label === target) return address;
  return `${label} (${address})`;
}

function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
