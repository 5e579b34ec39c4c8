import { compile } from 'html-to-text';

/** Characters. */
const MAX_HTML_LENGTH = 5_000_000;

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: MAX_HTML_LENGTH, maxDepth: 200, ellipsis: '' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true, ignoreHref: false } },
    ...[1, 2, 3, 4, 5, 6].map((level) => ({ selector: `h${level}`, options: { uppercase: false } })),
    { selector: 'blockquote', format: 'blockquote' },
  ],
});

/** Text as a mail program would show it; quotations begin with `>`. */
export function htmlToText(html: string): { text: string; warnings: string[] } {
  const text = convert(html.slice(0, MAX_HTML_LENGTH))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const isCut = html.length > MAX_HTML_LENGTH;
  return { text, warnings: isCut ? [`Only the first ${MAX_HTML_LENGTH} characters of its HTML were read.`] : [] };
}
