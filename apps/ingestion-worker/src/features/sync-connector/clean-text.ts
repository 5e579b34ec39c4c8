/** U+0000 and halves of surrogate pairs, which Postgres can't keep. */
const UNSTORABLE = /[\0\p{Cs}]/gu;

/** What can't be stored becomes U+FFFD; everything else stays as written. */
export function cleanText(text: string): string {
  return text.replace(UNSTORABLE, '\u{FFFD}');
}

/** Longest external id that is kept. */
const LONGEST_ID = 512;

/** Whether an external id can be kept as it is; nothing is stored under one that can't. */
export function isStorableId(id: string): boolean {
  return id.trim() !== '' && id.length <= LONGEST_ID && cleanText(id) === id;
}

/** As `cleanText`, for every string of a JSON value, names of fields included. */
export function cleanJson<Value>(value: Value): Value {
  return clean(value) as Value;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), clean(inner)]));
}
