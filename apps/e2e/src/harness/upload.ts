import { createDocumentRoute, getDocumentRoute, type Document } from '@candor/contracts';
import { waitFor, type ApiClient, type ApiResponse } from '@candor/testkit';

export interface UploadFields {
  [field: string]: string | string[];
}

/** Sends a form with a file, as a browser does. */
export async function sendUpload(
  client: ApiClient,
  file: { name: string; bytes: Uint8Array | string; mediaType?: string } | null,
  fields: UploadFields = {},
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one);
  if (file) {
    const bytes = typeof file.bytes === 'string' ? file.bytes : Uint8Array.from(file.bytes);
    form.set('file', new Blob([bytes], { type: file.mediaType ?? 'application/octet-stream' }), file.name);
  }
  const request = new Request('http://form.invalid', { method: 'POST', body: form });
  return client.send('POST', createDocumentRoute.path, {
    rawBody: new Uint8Array(await request.arrayBuffer()),
    headers: { 'content-type': request.headers.get('content-type') ?? '', ...headers },
  });
}

/** Uploads and waits until the document can be found or has failed. */
export async function upload(
  client: ApiClient,
  file: { name: string; bytes: Uint8Array | string; mediaType?: string },
  fields: UploadFields = {},
): Promise<Document> {
  const response = await sendUpload(client, file, fields);
  if (response.status !== 202) throw new Error(`the upload answered ${response.status}: ${response.text}`);
  const { data } = createDocumentRoute.response.parse(response.body);
  return waitForDocument(client, data.id);
}

export function waitForDocument(client: ApiClient, id: string): Promise<Document> {
  return waitFor(
    async () => {
      const { data } = await client.call(getDocumentRoute, { params: { id } });
      return data.status === 'pending' ? undefined : data;
    },
    { what: `document ${id} to be read`, timeoutMs: 120_000 },
  );
}
