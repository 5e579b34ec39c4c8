import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NamedFile } from '../formats/detect-format.js';

const ROOT = fileURLToPath(new URL('../../fixtures/', import.meta.url));

export function fixture(path: string): NamedFile {
  return { name: basename(path), mediaType: '', bytes: readFileSync(`${ROOT}${path}`) };
}

export function textFile(name: string, content: string | Uint8Array, mediaType = ''): NamedFile {
  return { name, mediaType, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}
