const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
const UNESCAPES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
};

/** Text as it stands between tags. Quotation marks stay raw there, so that a quoted sentence looks as in its source. */
export function escapeXmlText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/** Text as it stands inside a double-quoted attribute. */
export function escapeXmlAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Undoes one layer of escaping and no more: `&amp;lt;` becomes `&lt;`. */
export function unescapeXmlOnce(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39);/g, (entity, name: string) => UNESCAPES[name] ?? entity);
}
