import { describe, expect, it } from '@jest/globals';
import { zipSync, strToU8 } from 'fflate';
import { fixture, textFile } from '../testing/fixtures.js';
import { detectFormat, type FileFormat } from './detect-format.js';
import { refuseUnsupported } from './refuse-unsupported.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const OLD_OFFICE = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);

describe('detectFormat', () => {
  it.each<[string, FileFormat]>([
    ['unstructured/fake-memo.pdf', 'pdf'],
    ['unstructured/docx-tables.docx', 'docx'],
    ['unstructured/stanley-cups.xlsx', 'xlsx'],
    ['unstructured/simple.pptx', 'pptx'],
    ['unstructured/fake.odt', 'odt'],
    ['unstructured/fake-doc.rtf', 'rtf'],
    ['unstructured/stanley-cups-utf-16.csv', 'csv'],
    ['unstructured/fake-html-cp1252.html', 'html'],
    ['unstructured/factbook-utf-16.xml', 'xml'],
    ['unstructured/arbitrary-records.ndjson', 'ndjson'],
    ['unstructured/fake-text-utf-32.txt', 'text'],
    ['mail/japanese_shift_jis.eml', 'eml'],
  ])('knows %s', async (path, format) => {
    expect(await detectFormat(fixture(path))).toBe(format);
  });

  it.each(['unstructured/fake-memo.pdf', 'unstructured/docx-tables.docx', 'unstructured/fake-doc.rtf'])(
    'believes the bytes of %s more than a wrong name',
    async (path) => {
      const right = await detectFormat(fixture(path));
      expect(await detectFormat({ ...fixture(path), name: 'notes.txt', mediaType: 'text/plain' })).toBe(right);
    },
  );

  it.each<[string, string, string, FileFormat]>([
    ['upload', '', '<!doctype html><p>Hi', 'html'],
    ['upload', '', 'From: a@x.org\nTo: b@x.org\nSubject: Hi\n\nText', 'eml'],
    ['upload', '', 'From a@x.org Mon Jan  5 10:00:00 2026\nFrom: a@x.org\n\nText', 'mbox'],
    ['upload', '', 'Just a note', 'text'],
    ['upload', 'text/csv; charset=utf-8', 'a,b\n1,2', 'csv'],
    ['upload', 'application/json', '{}', 'json'],
    ['notes', 'text/markdown', '# Notes', 'markdown'],
    ['main.ts', 'video/mp2t', 'const depth = 3;', 'text'],
    ['songs.m3u', 'audio/x-mpegurl', '#EXTM3U', 'text'],
    ['readings.dat', '', 'depth 3 m', 'text'],
    ['main.rs', 'text/rust', 'fn main() {}', 'text'],
    ['saved-mail.txt', 'text/plain', 'From: a@x.org\nTo: b@x.org\nSubject: Hi\n\nText', 'text'],
  ])('takes %s (%s) with "%.20s" for text of its kind', async (name, mediaType, content, format) => {
    expect(await detectFormat(textFile(name, content, mediaType))).toBe(format);
  });

  it.each<[string, Parameters<typeof textFile>, string]>([
    ['a picture', ['a.png', PNG], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['a picture with the name of a text', ['a.txt', PNG], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['a few bytes that claim to be a picture', ['a.png', Buffer.from([0x48, 0xd2, 0x21])], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['text that claims to be a picture', ['a.png', 'not really'], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['text that is sent as a video', ['upload', 'not really', 'video/mp4'], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['text that claims to be a program', ['a.exe', 'MZ, or so'], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['a few bytes of data', ['a.dat', Buffer.from([0x48, 0xd2, 0x21])], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['an old Word file', ['a.doc', OLD_OFFICE], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['an archive', ['a.zip', zipSync({ 'a.txt': strToU8('a') })], 'EXTRACT.UNSUPPORTED_TYPE'],
    ['nothing', ['a.pdf', Buffer.alloc(0)], 'EXTRACT.EMPTY'],
    ['text with the name of a PDF', ['a.pdf', 'This is not one.'], 'EXTRACT.UNREADABLE'],
    ['noise with the name of a Word file', ['a.docx', PNG.subarray(8)], 'EXTRACT.UNREADABLE'],
    [
      'half an archive with the name of a workbook',
      ['a.xlsx', Buffer.from('504b0304140000', 'hex')],
      'EXTRACT.UNREADABLE',
    ],
  ])('refuses %s', async (_name, file, code) => {
    await expect(detectFormat(textFile(...file))).rejects.toMatchObject({ code });
  });

  it('knows encrypted Office files', async () => {
    await expect(detectFormat(fixture('unstructured/password_protected.xlsx'))).rejects.toMatchObject({
      code: 'EXTRACT.ENCRYPTED',
    });
  });

  it('tells people what to do with an old Office file', async () => {
    await expect(detectFormat(textFile('plan.doc', OLD_OFFICE))).rejects.toThrow('save the file as .docx');
  });

  it('refuses at the door only what no reader is for', async () => {
    await expect(refuseUnsupported(textFile('a.png', PNG))).rejects.toMatchObject({ status: 415 });
    for (const file of [
      textFile('a.pdf', ''),
      textFile('a.pdf', 'broken'),
      fixture('unstructured/password_protected.xlsx'),
    ])
      await expect(refuseUnsupported(file)).resolves.toBeUndefined();
  });
});
