import { describe, expect, it } from '@jest/globals';
import { createDocumentBodySchema } from './documents.route.js';

const file = { name: 'a', mediaType: 'application/octet-stream', byteSize: 1, sha256: 'f' };

describe('mimeType of a document', () => {
  it.each([
    'text/markdown',
    'application/pdf',
    'application/vnd.ms-excel.sheet.macroEnabled.12',
    'text/csv; charset=x',
  ])('may be whatever a file is: %s', (mimeType) =>
    expect(createDocumentBodySchema.parse({ file, mimeType })).toEqual({ file, mimeType }),
  );

  it.each(['pdf', '', '/', 'text/', 'text/csv/x', 'text /csv', 'text/a b', `text/${'x'.repeat(251)}`])(
    'must look like a media type beside a file: %j',
    (mimeType) => expect(createDocumentBodySchema.safeParse({ file, mimeType }).success).toBe(false),
  );

  it('is that of a text without a file', () => {
    const text = { title: 't', content: 'c' };
    expect(createDocumentBodySchema.parse({ ...text, mimeType: 'text/html' })).toEqual({
      ...text,
      mimeType: 'text/html',
    });
    const { error } = createDocumentBodySchema.safeParse({ ...text, mimeType: 'application/pdf' });
    expect(error?.issues).toMatchObject([
      { path: ['mimeType'], message: 'must be one of text/plain, text/markdown, text/html' },
    ]);
  });

  it('stands beside a file, and content does not', () => {
    const { error } = createDocumentBodySchema.safeParse({ file, mimeType: 'text/plain', content: 'c' });
    expect(error?.issues).toMatchObject([{ path: ['content'], message: 'must be absent beside a file' }]);
  });
});
