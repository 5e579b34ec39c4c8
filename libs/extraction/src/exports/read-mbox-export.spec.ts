import { describe, expect, it } from '@jest/globals';
import { readFile } from '../formats/read-file.js';
import type { ExportItem } from './export-source.js';
import { readMboxExport, type MboxExportOptions } from './read-mbox-export.js';

const MAILBOX = `From ada@x.org Mon Jan  5 10:00:00 2026
From: Ada <ada@x.org>
To: bob@x.org
Date: Mon, 5 Jan 2026 10:00:00 +0000
Message-ID: <one@x.org>
Subject: Budget

The budget is 400,000 crowns.

From bob@x.org Tue Jan  6 10:00:00 2026
From: bob@x.org
Date: Tue, 6 Jan 2026 10:00:00 +0000
In-Reply-To: <one@x.org>
Subject: Re: Budget

Agreed.

On Mon, 5 Jan 2026, Ada wrote:
> The budget is 400,000 crowns.
`;

/** As a file comes: cut anywhere. */
async function* inPieces(text: string): AsyncGenerator<Buffer> {
  for (let from = 0; from < text.length; from += 7) yield Buffer.from(text.slice(from, from + 7));
}

async function read(text: string, options: MboxExportOptions = {}): Promise<ExportItem[]> {
  const items: ExportItem[] = [];
  for await (const item of readMboxExport(inPieces(text), readFile, options)) items.push(item);
  return items;
}

describe('readMboxExport', () => {
  it('makes a document of each message, without the messages it answers', async () => {
    expect(await read(MAILBOX, { mailbox: 'Bob@X.org' })).toMatchObject([
      {
        document: {
          provider: 'gmail',
          externalId: 'mbox:<one@x.org>',
          title: 'Budget',
          authorName: 'Ada',
          sourceCreatedAt: '2026-01-05T10:00:00.000Z',
          accessPolicy: { provider: 'gmail', mode: 'acl', principals: ['user:bob@x.org'], mailbox: 'Bob@X.org' },
          metadata: { internetMessageIds: ['<one@x.org>'] },
        },
      },
      {
        document: {
          externalId: expect.stringMatching(/^mbox:[0-9a-f]{64}$/),
          body: 'From: bob@x.org\nDate: 2026-01-06T10:00:00.000Z\nSubject: Re: Budget\n\nAgreed.',
          metadata: { inReplyTo: '<one@x.org>' },
        },
      },
    ]);
  });

  it('withholds the messages of a mailbox that nobody named', async () => {
    expect(await read(MAILBOX)).toMatchObject([
      { document: { accessPolicy: null } },
      { document: { accessPolicy: null } },
    ]);
  });

  it('says so when there is no message', async () => {
    expect(await read('Just text.')).toEqual([
      { kind: 'problem', name: 'mailbox', message: 'No message begins in the file: is it an mbox?' },
    ]);
  });
});
