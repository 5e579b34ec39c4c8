const MARK = ';base64,';
/** Shorter ones are no pictures, and cost nothing. */
const SHORTEST = 64;
const PAYLOAD = /[A-Za-z0-9+/=%\s]/;

/** Empties the `data:` URLs of a page: pictures and fonts that no reader needs, and that may be most of the page. */
export function dropInlineData(html: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let mark = html.indexOf(MARK); mark !== -1; mark = html.indexOf(MARK, mark + MARK.length)) {
    const begin = html.lastIndexOf('data:', mark);
    let end = mark + MARK.length;
    // One character at a time: a regular expression runs out of stack on megabytes.
    while (end < html.length && PAYLOAD.test(html.charAt(end))) end += 1;
    if (begin < from || mark - begin > 200 || end - mark < SHORTEST) continue;
    kept.push(html.slice(from, begin), 'data:,');
    from = end;
  }
  return from === 0 ? html : kept.join('') + html.slice(from);
}
