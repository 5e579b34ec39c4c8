import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, request as sendRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@candor/contracts';
import { readMultipart, type MultipartBody } from './read-multipart.js';
import { toBody } from './to-body.js';

const LIMIT = 1_000;

describe('readMultipart', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** What a server makes of the body that arrives. */
  async function receive(send: (url: string) => Promise<unknown>): Promise<MultipartBody> {
    const outcome = new Promise<MultipartBody>((resolve, reject) => {
      server = createServer((request: IncomingMessage, response) => {
        readMultipart(request, LIMIT)
          .then(resolve, reject)
          .finally(() => response.end('{}'));
      });
    });
    outcome.catch(() => undefined);
    const listening = server;
    if (!listening) throw new Error('no server');
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    await send(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
    return outcome;
  }
  const post = (form: FormData) => (url: string) => fetch(url, { method: 'POST', body: form });
  const formWith = (...files: [field: string, name: string, size: number][]): FormData => {
    const form = new FormData();
    for (const [field, name, size] of files) form.append(field, new Blob(['x'.repeat(size)]), name);
    return form;
  };

  it('reads fields and the file, with names in any script', async () => {
    const form = formWith(['file', 'Übersicht 東京.txt', 5]);
    form.append('tags', 'a');
    form.append('tags', 'b');
    form.append('title', 'naïve ☃');
    const { fields, file } = await receive(post(form));
    expect([...fields]).toEqual([
      ['tags', ['a', 'b']],
      ['title', ['naïve ☃']],
    ]);
    expect(file).toMatchObject({ name: 'Übersicht 東京.txt', bytes: Buffer.from('xxxxx') });
  });

  it('keeps no folders and no control characters of a name', async () => {
    const { file } = await receive(post(formWith(['file', '../../etc/pass\u0007wd', 1])));
    expect(file?.name).toBe('passwd');
  });

  it('takes a file of just the limit', async () => {
    expect((await receive(post(formWith(['file', 'a', LIMIT])))).file?.bytes).toHaveLength(LIMIT);
  });

  it('holds a file once: in the memory that its body was given, and not joined from parts as well', async () => {
    let announced = 0;
    const { file } = await receive(async (url) => {
      const request = new Request(url, { method: 'POST', body: formWith(['file', 'a', LIMIT - 500]) });
      const body = Buffer.from(await request.arrayBuffer());
      announced = body.length;
      await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': request.headers.get('content-type') ?? '' },
      });
    });
    expect(announced).toBeLessThan(LIMIT);
    expect(file?.bytes).toHaveLength(LIMIT - 500);
    expect(file?.bytes.buffer.byteLength).toBe(announced);
  });

  it('takes a file whose size was not said', async () => {
    const { file } = await receive(async (url) => {
      const request = new Request(url, { method: 'POST', body: formWith(['file', 'a', LIMIT]) });
      const body = Buffer.from(await request.arrayBuffer());
      await new Promise<void>((resolve, reject) => {
        const headers = { 'content-type': request.headers.get('content-type') ?? '' };
        const sent = sendRequest(url, { method: 'POST', headers }, (response) => response.resume().on('end', resolve));
        sent.on('error', reject);
        // In two pieces and without a length: chunked.
        sent.write(body.subarray(0, 300));
        sent.end(body.subarray(300));
      });
    });
    expect(file?.bytes).toEqual(Buffer.alloc(LIMIT, 'x'));
  });

  it.each<[string, FormData, string]>([
    ['a file beyond the limit', formWith(['file', 'a', LIMIT + 1]), 'REQUEST.TOO_LARGE'],
    ['two files', formWith(['file', 'a', 1], ['file', 'b', 1]), 'REQUEST.INVALID'],
    ['a file under another name', formWith(['attachment', 'a', 1]), 'REQUEST.INVALID'],
  ])('refuses %s', async (_name, form, code) => {
    await expect(receive(post(form))).rejects.toMatchObject({ code });
  });

  it('refuses more fields than a form has', async () => {
    const form = new FormData();
    for (let index = 0; index < 200; index += 1) form.append(`field-${index}`, 'x');
    await expect(receive(post(form))).rejects.toThrow('must not have more than 100 fields');
  });

  it('refuses fields that are too long together, also of a body whose length was not said', async () => {
    const form = new FormData();
    for (let index = 0; index < 5; index += 1) form.append(`field-${index}`, 'x'.repeat(1_000_000));
    const whole = new Request('http://127.0.0.1', { method: 'POST', body: form });
    const send = (url: string): Promise<unknown> =>
      fetch(url, { method: 'POST', body: whole.body, headers: whole.headers, duplex: 'half' });
    await expect(receive(send)).rejects.toThrow('must not have fields of more than 4 MiB together');
  });

  it('notices a caller that goes away', async () => {
    const outcome = receive(
      (url) =>
        new Promise<void>((resolve) => {
          const request = sendRequest(url, {
            method: 'POST',
            headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '500' },
          });
          request.on('error', () => resolve());
          request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf');
          setTimeout(() => request.destroy(), 50);
        }),
    );
    await expect(outcome).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });
});

describe('toBody', () => {
  const convert = (fields: Record<string, string[]>): Record<string, unknown> =>
    toBody({ fields: new Map(Object.entries(fields)), file: null }, ['tags']);

  it.each<[Record<string, string[]>, Record<string, unknown>]>([
    [{ tags: ['a, b', 'c'] }, { tags: ['a', 'b', 'c'] }],
    [{ tags: ['["a,b", 7]'] }, { tags: ['a,b', 7] }],
    [{ tags: [''] }, { tags: [] }],
    [{ metadata: ['{"a":{"b":1}}'] }, { metadata: { a: { b: 1 } } }],
    [
      { title: ['{a}'], content: ['{b}'], externalId: ['[1]'] },
      { title: '{a}', content: '{b}', externalId: '[1]' },
    ],
  ])('reads %j', (fields, body) => {
    expect(convert(fields)).toEqual(body);
  });

  it.each<[Record<string, string[]>, string]>([
    [{ title: ['a', 'b'] }, 'title must be given once'],
    [{ metadata: ['{'] }, 'metadata must be valid JSON'],
    [{ tags: ['["a"'] }, 'tags must be valid JSON'],
    [{ metadata: [`{"a":[${'1,'.repeat(10_000)}1]}`] }, 'metadata must not hold more than 10000 values'],
    [{ tags: ['['.repeat(200)] }, 'tags must not be nested deeper than 100 levels'],
    [{ file: ['text'] }, 'file must be sent as a file, with a file name'],
  ])('refuses %.60j', (fields, message) => {
    expect(() => convert(fields)).toThrow(new AppError('REQUEST.INVALID', { message }));
  });

  it('describes the file by its digest', () => {
    const file = { name: 'a', mediaType: 'text/plain', bytes: Buffer.from('abc') };
    expect(toBody({ fields: new Map(), file }, [])).toEqual({
      file: {
        name: 'a',
        mediaType: 'text/plain',
        byteSize: 3,
        sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      },
    });
  });
});
