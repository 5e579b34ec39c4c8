import { describe, expect, it } from '@jest/globals';
import { zipSync, strToU8 } from 'fflate';
import { openZip, type ZipLimits } from './zip-archive.js';

const LIMITS: ZipLimits = { entries: 3, entryBytes: 1_000, totalBytes: 1_500, ratio: 200 };
const pack = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

describe('openZip', () => {
  it('reads entries by name', async () => {
    const archive = await openZip(pack({ 'a/b.txt': 'héllo', 'c.txt': '' }), LIMITS);
    expect(archive.names).toEqual(['a/b.txt', 'c.txt']);
    expect(await archive.readText('a/b.txt')).toBe('héllo');
    expect((await archive.read('c.txt')).length).toBe(0);
    await expect(archive.read('d.txt')).rejects.toMatchObject({ code: 'EXTRACT.UNREADABLE' });
  });

  it.each<[string, Record<string, string>]>([
    ['too many entries', { a: '', b: '', c: '', d: '' }],
    ['an entry that is too large', { a: 'x'.repeat(1_001) }],
    ['entries that are too large together', { a: 'x'.repeat(800), b: 'y'.repeat(800) }],
  ])('refuses %s before unpacking', async (_name, files) => {
    await expect(openZip(pack(files), LIMITS)).rejects.toMatchObject({ code: 'EXTRACT.TOO_LARGE' });
  });

  it('refuses what unpacks to far more than it is', async () => {
    const bomb = pack({ 'word/document.xml': '0'.repeat(12_000_000) });
    expect(bomb.length).toBeLessThan(100_000);
    await expect(openZip(bomb)).rejects.toMatchObject({ code: 'EXTRACT.TOO_LARGE' });
  });

  it('does not believe an archive that lies about its size', async () => {
    const bytes = Buffer.from(pack({ a: 'x'.repeat(900) }));
    const directory = bytes.indexOf(Buffer.from('504b0102', 'hex'));
    bytes.writeUInt32LE(10, directory + 24);
    const archive = await openZip(bytes, LIMITS);
    await expect(archive.read('a')).rejects.toMatchObject({ code: 'EXTRACT.UNREADABLE' });
  });

  it.each<[string, Uint8Array]>([
    ['an archive cut short', pack({ a: 'text'.repeat(100) }).subarray(0, 60)],
    ['no archive', Buffer.from('PK but not really')],
  ])('refuses %s', async (_name, bytes) => {
    await expect(openZip(bytes, LIMITS)).rejects.toMatchObject({ code: 'EXTRACT.UNREADABLE' });
  });
});
