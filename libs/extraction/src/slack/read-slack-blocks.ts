import type { SlackNames } from './slack-message.js';
import { renderSlackText } from './render-slack-text.js';

const MAX_DEPTH = 10;

/** Text of Block Kit blocks, for messages whose `text` is empty. Blocks without text (images, buttons) give their title. */
export function readSlackBlocks(blocks: unknown, names: SlackNames): string {
  return asList(blocks)
    .map((block) => readBlock(block, names, 0))
    .filter((text) => text.trim() !== '')
    .join('\n');
}

function readBlock(block: unknown, names: SlackNames, depth: number): string {
  if (!isObject(block) || depth > MAX_DEPTH) return '';
  switch (block['type']) {
    case 'rich_text':
      return readLines(block['elements'], names, depth);
    case 'rich_text_section':
      return readInline(block['elements'], names, depth);
    case 'rich_text_preformatted':
      return `\`\`\`\n${readInline(block['elements'], names, depth)}\n\`\`\``;
    case 'rich_text_quote':
      return readInline(block['elements'], names, depth).replaceAll(/^/gm, '> ');
    case 'rich_text_list':
      return readList(block, names, depth);
    case 'context':
      return asList(block['elements'])
        .map((element) => readTextObject(element, names))
        .filter((text) => text !== '')
        .join(' ');
    default:
      return [
        readTextObject(block['text'], names),
        ...asList(block['fields']).map((field) => readTextObject(field, names)),
        readTextObject(block['title'], names),
      ]
        .filter((text) => text !== '')
        .join('\n');
  }
}

function readLines(elements: unknown, names: SlackNames, depth: number): string {
  return asList(elements)
    .map((element) => readBlock(element, names, depth + 1))
    .join('\n');
}

function readList(block: Record<string, unknown>, names: SlackNames, depth: number): string {
  const indent = '  '.repeat(Math.min(Number(block['indent'] ?? 0) || 0, MAX_DEPTH));
  return asList(block['elements'])
    .map((element, index) => {
      const mark = block['style'] === 'ordered' ? `${String(index + 1)}.` : '-';
      return `${indent}${mark} ${readBlock(element, names, depth + 1)}`;
    })
    .join('\n');
}

function readInline(elements: unknown, names: SlackNames, depth: number): string {
  return asList(elements)
    .map((element) => {
      if (!isObject(element)) return '';
      const text = asText(element['text']);
      switch (element['type']) {
        case 'text':
          return text;
        case 'link':
          return text === '' || text === element['url']
            ? asText(element['url'])
            : `${text} (${asText(element['url'])})`;
        case 'user':
          return `@${names.user(asText(element['user_id'])) ?? asText(element['user_id'])}`;
        case 'channel':
          return `#${names.channel(asText(element['channel_id'])) ?? asText(element['channel_id'])}`;
        case 'usergroup':
          return `@${asText(element['usergroup_id'])}`;
        case 'emoji':
          return `:${asText(element['name'])}:`;
        case 'broadcast':
          return `@${asText(element['range'])}`;
        case 'date':
          return asText(element['fallback']);
        default:
          return readBlock(element, names, depth + 1) || text;
      }
    })
    .join('');
}

function readTextObject(value: unknown, names: SlackNames): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  const text = asText(value['text']);
  return value['type'] === 'mrkdwn' ? renderSlackText(text, names) : text;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
