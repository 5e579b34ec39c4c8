/** Lower case, compatible forms, no marks: "Grünlinden" and "GRUNLINDEN" are alike. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  // Most texts are; this spares them the rest.
  return isAscii(lower) ? lower : lower.normalize('NFKD').replace(/\p{M}/gu, '');
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
