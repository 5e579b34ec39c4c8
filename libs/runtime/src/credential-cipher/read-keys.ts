const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** Of `<keyId>:<base64 of 32 bytes>,…`, in the order given; null when any of it isn't a key, or two have one id. */
export function readKeys(text: string): Map<string, Buffer> | null {
  const keys = new Map<string, Buffer>();
  for (const entry of text.split(',')) {
    const [, keyId = '', encoded = ''] = /^\s*([^:]*):(.*?)\s*$/.exec(entry) ?? [];
    const key = Buffer.from(encoded, 'base64');
    const isKey = key.length === KEY_BYTES && sameBase64(key.toString('base64'), encoded);
    if (!KEY_ID.test(keyId) || !isKey || keys.has(keyId)) return null;
    keys.set(keyId, key);
  }
  return keys;
}

/** Node skips what isn't base64; padding may be missing. */
function sameBase64(left: string, right: string): boolean {
  return left.replace(/=+$/, '') === right.replace(/=+$/, '');
}
