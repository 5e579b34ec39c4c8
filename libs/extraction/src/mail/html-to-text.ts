import { compile } from 'html-to-text';

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: 5_000_000, maxDepth: 200, ellipsis: '' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true, ignoreHref: false } },
    ...[1, 2, 3, 4, 5, 6].map((level) => ({ selector: `h${level}`, options: { uppercase: false } })),
    { selector: 'blockquote', format: 'blockquote' },
  ],
});

/** Text as a mail program would show it; quotations begin with `>`. */
export function htmlToText(html: string): string {
  return convert(html)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
