/** For a file input of a page. */
export function textFile(name: string, text: string) {
  return { name, mimeType: 'text/markdown', buffer: Buffer.from(text) };
}
