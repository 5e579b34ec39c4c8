/** ATX and Setext headings, HTML's, and lines that are bold as a whole. */
const HEADING = /^([ \t]*)(#|(?:\*\*|__)(?=.*(?:\*\*|__)[ \t]*$)|<h\d|=+[ \t]*$|-+[ \t]*$)/gim;

/** Text of sources as a quotation, so that none of it reads as this server's own words. */
export function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** As it is, but none of its lines is a heading: a model that obeys a document could write this server's own sections. */
export function withoutHeadings(text: string): string {
  return text.replace(HEADING, (_, space: string, mark: string) => `${space}\\${mark}`);
}

/** On one line, with nothing in it that begins a heading, a list or a link. */
export function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\*_`[\]<>]/g, (character) => `\\${character}`);
}

export function bold(text: string): string {
  return `**${inline(text)}**`;
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount} ${amount === 1 ? singular : plural}`;
}

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** A titled part; nothing at all when it would be empty. */
export function section(title: string, body: string): string[] {
  return body === '' ? [] : [`**${title}**`, body];
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
