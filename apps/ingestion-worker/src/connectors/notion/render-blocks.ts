import { asList, asText, isObject, type NotionObject } from './notion-object.js';
import { readPlainText, renderRichText } from './render-rich-text.js';

export interface BlockNode {
  block: NotionObject;
  children: BlockNode[];
}

const LIST_TYPES = new Set(['bulleted_list_item', 'numbered_list_item', 'to_do']);
/** Only layout; their children are what they hold. */
const CONTAINERS = new Set([
  'column_list',
  'column',
  'synced_block',
  'template',
  'tab',
  'meeting_notes',
  'transcription',
]);
const SILENT = new Set(['divider', 'breadcrumb', 'table_of_contents', 'unsupported', 'button']);
const FILES = new Set(['image', 'video', 'audio', 'file', 'pdf']);
const LINKS = new Set(['bookmark', 'embed', 'link_preview']);

/** Blocks as Markdown. Types that aren't known give their rich text. */
export function renderBlocks(nodes: readonly BlockNode[]): string {
  let text = '';
  let number = 0;
  let previous: string | undefined;
  for (const node of nodes) {
    const type = asText(node.block['type']);
    number = type === 'numbered_list_item' ? number + 1 : 0;
    const rendered = renderNode(node, type, number);
    if (rendered.trim() === '') continue;
    const isTight = LIST_TYPES.has(type) && previous === type;
    text += text === '' ? rendered : `${isTight ? '\n' : '\n\n'}${rendered}`;
    previous = type;
  }
  return text;
}

function renderNode({ block, children }: BlockNode, type: string, number: number): string {
  const content = isObject(block[type]) ? block[type] : {};
  // Older versions of the API say `text` where newer say `rich_text`.
  const words = renderRichText(content['rich_text'] ?? content['text']);
  const inner = renderBlocks(children);
  if (SILENT.has(type)) return '';
  if (CONTAINERS.has(type)) return join(words, inner);
  if (FILES.has(type)) return renderFile(type, content);
  if (LINKS.has(type)) return renderLink(readPlainText(content['caption']), asText(content['url']));
  switch (type) {
    case 'heading_1':
    case 'heading_2':
    case 'heading_3':
    case 'heading_4':
      return join(`${'#'.repeat(Number(type.at(-1)) + 1)} ${words}`, inner);
    case 'bulleted_list_item':
      return listItem('-', words, inner);
    case 'numbered_list_item':
      return listItem(`${String(number)}.`, words, inner);
    case 'to_do':
      return listItem(content['checked'] === true ? '- [x]' : '- [ ]', words, inner);
    case 'quote':
      return quote(join(words, inner));
    case 'callout':
      return quote(join(`${readEmoji(content['icon'])}${words}`, inner));
    case 'code':
      return renderCode(readPlainText(content['rich_text'] ?? content['text']), asText(content['language']));
    case 'equation':
      return `$$${asText(content['expression'])}$$`;
    case 'table':
      return renderTable(children);
    case 'child_page':
    case 'child_database':
      return renderLink(asText(content['title']), `https://www.notion.so/${asText(block['id']).replaceAll('-', '')}`);
    case 'link_to_page':
      return renderLink('', `https://www.notion.so/${asText(content[asText(content['type'])]).replaceAll('-', '')}`);
    default:
      return join(words, inner);
  }
}

function join(...parts: string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function listItem(mark: string, words: string, inner: string): string {
  const indent = ' '.repeat(mark.startsWith('- [') ? 2 : mark.length + 1);
  const rest = inner === '' ? '' : `\n${inner.replaceAll(/^(?=.)/gm, indent)}`;
  return `${mark} ${words.replaceAll('\n', `\n${indent}`)}${rest}`;
}

function quote(text: string): string {
  return text === '' ? '' : text.replaceAll(/^/gm, '> ');
}

function renderCode(code: string, language: string): string {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language === 'plain text' ? '' : language.replaceAll(/\s+/g, '-')}\n${code}\n${fence}`;
}

function renderTable(rows: readonly BlockNode[]): string {
  const lines = rows.map(({ block }) => {
    const row = isObject(block['table_row']) ? block['table_row'] : {};
    const cells = Array.isArray(row['cells']) ? row['cells'] : [];
    return `| ${cells.map((cell) => renderRichText(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  });
  const [head, ...body] = lines;
  if (head === undefined) return '';
  const width = head.split(/(?<!\\)\|/).length - 2;
  return [head, `|${' --- |'.repeat(Math.max(1, width))}`, ...body].join('\n');
}

/** Addresses of files that Notion keeps end within the hour: only the name stays. */
function renderFile(type: string, content: NotionObject): string {
  const caption = readPlainText(content['caption']);
  const external = isObject(content['external']) ? asText(content['external']['url']) : '';
  const name = caption || asText(content['name']) || readFileName(content['file']) || type;
  return external === '' ? `[${type}] ${name}` : `[${type}] ${renderLink(name, external)}`;
}

function readFileName(file: unknown): string {
  const url = isObject(file) ? asText(file['url']) : '';
  if (!URL.canParse(url)) return '';
  const name = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    // Not percent-encoded after all.
    return name;
  }
}

function renderLink(label: string, url: string): string {
  if (!/^https?:/.test(url)) return label;
  return label === '' || label === url ? `<${url}>` : `[${label}](${url})`;
}

function readEmoji(icon: unknown): string {
  const emoji = isObject(icon) ? asText(icon['emoji']) : '';
  return emoji === '' ? '' : `${emoji} `;
}

/** For tests and callers that have no nesting. */
export function toNodes(blocks: unknown): BlockNode[] {
  return asList(blocks).map((block) => ({ block, children: [] }));
}
