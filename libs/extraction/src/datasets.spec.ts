import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@candor/contracts';
import { FileReader } from './sandbox/file-reader.js';

jest.setTimeout(240_000);

const folder = findFolder(process.env);
const withDatasets = folder === null ? describe.skip : describe;

/** Where a copy of the data sets lies beside the repository, nobody has to name it. */
function findFolder(environment: Readonly<Record<string, string | undefined>>): string | null {
  const root = environment['CANDOR_DATASETS'] || fileURLToPath(new URL('../../../../shared/data', import.meta.url));
  if (existsSync(join(root, 'files'))) return join(root, 'files');
  console.warn(
    `${root} has no folder files (CANDOR_DATASETS names another): the test that reads all of them is skipped.`,
  );
  return null;
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;
/** Errors that say something about a file; a limit of time or memory would say something about us. */
const ABOUT_THE_FILE = ['EXTRACT.EMPTY', 'EXTRACT.ENCRYPTED', 'EXTRACT.UNREADABLE', 'EXTRACT.UNSUPPORTED_TYPE'];

withDatasets('every file of the data sets', () => {
  const reader = new FileReader();
  afterAll(() => reader.close());

  it('gives storable text, or an error that says why not', async () => {
    const paths = readdirSync(folder ?? '', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(paths.length).toBeGreaterThan(0);
    const complaints = await Promise.all(paths.map(complainAbout));
    expect(complaints.filter((complaint) => complaint !== null)).toEqual([]);
  });

  async function complainAbout(path: string): Promise<string | null> {
    try {
      const { body, title } = await reader.read({ name: basename(path), mediaType: '', bytes: readFileSync(path) });
      if (!VISIBLE.test(body) || /\0|\p{Cs}/u.test(`${body}${title ?? ''}`)) return `${path}: no storable text`;
      // Decoded as something that it isn't.
      const strange = body.match(/\ufffd/g)?.length ?? 0;
      return strange > 20 + body.length / 50 ? `${path}: ${strange} characters are lost` : null;
    } catch (error) {
      const isClear = error instanceof AppError && ABOUT_THE_FILE.includes(error.code) && error.message.endsWith('.');
      return isClear ? null : `${path}: ${String(error)}`;
    }
  }
});
