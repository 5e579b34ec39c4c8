import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the build of the console is, seen from the sources and from their build alike. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../console/dist/', import.meta.url));

export interface ConsoleAsset {
  type: string;
  body: Buffer;
  /** undefined = not worth it. */
  gzip: Buffer | undefined;
  /** Its name changes with its content. */
  isImmutable: boolean;
}

export interface ConsoleAssets {
  /** With a place for the nonce; undefined = the console is not built. */
  page: string | undefined;
  /** By path below `/console/`. What isn't in here isn't served, whatever the address says. */
  files: ReadonlyMap<string, ConsoleAsset>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};
const PAGE = 'index.html';

/** Reads the build once, at start: a request then touches no file. */
export function readConsoleAssets(folder: string): ConsoleAssets {
  if (!existsSync(join(folder, PAGE))) return { page: undefined, files: new Map() };
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const files = names.flatMap((name): [string, ConsoleAsset][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const compressed = names.includes(`${name}.gz`) ? readFileSync(join(folder, `${name}.gz`)) : undefined;
    const body = readFileSync(join(folder, name));
    return [[name, { type, body, gzip: compressed, isImmutable: name.startsWith('assets/') }]];
  });
  return { page: readFileSync(join(folder, PAGE), 'utf8'), files: new Map(files) };
}
