/**
 * `On Monday, Ada wrote:` in the languages that mail programs are used in most; may be broken over two lines.
 * Only looked for directly above a quotation, so that a sentence that happens to read like one stays.
 */
const ATTRIBUTION =
  /(?:wrote|writes|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|skrev|написал\(?а?\)?|כתב|さん|:)\s*:?\s*$/i;
const ORIGINAL_MESSAGE =
  /^[\s>]*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale)\s*-{2,}\s*$/i;
/** What Outlook puts above the message it quotes in full. */
const QUOTED_HEADER = /^\s*(?:from|von|de|da|van)\s*:\s*\S/i;
const HEADER_FIELD = /^\s*(?:sent|date|to|cc|subject|gesendet|an|betreff|envoyé|à|objet|enviado|para|asunto)\s*:/i;

/**
 * Removes the earlier messages that a reply carries at its end; an answer between quoted lines keeps them, for it can't
 * be understood alone. Nothing is removed from a message that would be left empty: there the quotation is the message.
 */
export function trimQuotedText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const end = Math.min(findQuotedTail(lines), findOriginalMessage(lines));
  const kept = lines.slice(0, end).join('\n').trimEnd();
  return kept.trim() === '' ? text.trimEnd() : kept;
}

/** Index of the first line of a block of `>` lines that goes on to the end (a signature may follow). */
function findQuotedTail(lines: readonly string[]): number {
  let start = lines.length;
  let hasQuote = false;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]?.trim() ?? '';
    if (line.startsWith('>')) {
      hasQuote = true;
      start = index;
    } else if (line !== '') break;
  }
  return hasQuote ? skipAttribution(lines, start) : lines.length;
}

function skipAttribution(lines: readonly string[], quoteStart: number): number {
  let index = quoteStart;
  while (index > 0 && lines[index - 1]?.trim() === '') index -= 1;
  const last = lines[index - 1];
  if (last === undefined || last.length > 300 || !ATTRIBUTION.test(last)) return quoteStart;
  index -= 1;
  const previous = lines[index - 1]?.trim() ?? '';
  const isBroken = previous !== '' && /^(on|am|le|el|em|il|op|den|в)\b.*\d/i.test(previous) && !/[.!?]$/.test(previous);
  return isBroken ? index - 1 : index;
}

function findOriginalMessage(lines: readonly string[]): number {
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (ORIGINAL_MESSAGE.test(line)) return index;
    const following = lines.slice(index + 1, index + 5);
    if (QUOTED_HEADER.test(line) && following.filter((next) => HEADER_FIELD.test(next)).length >= 2)
      return /^[\s_-]{5,}$/.test(lines[index - 1] ?? '') && index > 1 ? index - 1 : index;
  }
  return lines.length;
}
