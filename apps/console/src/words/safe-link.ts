/** An address from a document, as a link: http and https alone. Others (`javascript:` above all) are shown as text. */
export function safeLink(url: string | null): string | undefined {
  if (url === null || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}
