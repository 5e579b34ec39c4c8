import { asList, asText, isObject, type NotionObject } from './notion-object.js';

/** Rich text as Markdown: emphasis, code, links, mentions by the name that Notion gives them, formulas in dollars. */
export function renderRichText(parts: unknown): string {
  return asList(parts).map(renderPart).join('');
}

/** Without any marks, for titles. */
export function readPlainText(parts: unknown): string {
  return asList(parts)
    .map((part) => asText(part['plain_text']) || readContent(part))
    .join('');
}

function renderPart(part: NotionObject): string {
  const text = asText(part['plain_text']) || readContent(part);
  if (text.trim() === '') return text;
  if (part['type'] === 'equation') return `$${text}$`;
  const href = asText(part['href']);
  // Emphasis with a space at its edge isn't Markdown.
  const [, before = '', core = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  const marked = markText(core, part['annotations']);
  return `${before}${/^https?:/.test(href) ? `[${marked}](${href})` : marked}${after}`;
}

function markText(text: string, annotations: unknown): string {
  if (!isObject(annotations)) return text;
  if (annotations['code'] === true) return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
  let marked = text;
  if (annotations['strikethrough'] === true) marked = `~~${marked}~~`;
  if (annotations['italic'] === true) marked = `_${marked}_`;
  if (annotations['bold'] === true) marked = `**${marked}**`;
  return marked;
}

function readContent(part: NotionObject): string {
  const { text, equation } = part;
  if (isObject(text)) return asText(text['content']);
  return isObject(equation) ? asText(equation['expression']) : '';
}
