import { buildRequest } from './build-request.js';
import { ENDPOINTS } from './endpoints.js';
import { sendRequest, type ClientOptions } from './send-request.js';
import type { CallOptions, EndpointName, Endpoints, Received } from './types.js';

/** A file for `uploadDocument`, with the fields of `POST /v1/documents`. */
export interface Upload {
  fileName: string;
  content: Blob | Uint8Array;
  /** Text fields as they are, lists and objects as JSON. */
  fields?: Readonly<Record<string, unknown>>;
}

export interface CandorClient extends Endpoints {
  /** Sends a file; it is read, cut and indexed afterwards. */
  uploadDocument(upload: Upload, options?: CallOptions): Promise<Received<'createDocument'>>;
}

/**
 * A client of the public API: one method for each route, typed by the contracts. `client.search({ query: '…' })` gives the
 * body of the response, or throws an ApiError, a ConnectionError or a DeadlineError.
 */
export function createCandorClient(options: ClientOptions): CandorClient {
  if (!/^https?:\/\//.test(options.url)) throw new TypeError('url must be an http or https URL');
  const methods = Object.entries(ENDPOINTS).map(([name, endpoint]) => {
    const { method, takesIdempotencyKey, isRepeatable } = endpoint;
    const call = async (input?: Record<string, unknown>, callOptions?: CallOptions): Promise<unknown> => {
      const { path, json } = buildRequest(endpoint, input);
      const body = json === undefined ? undefined : { json };
      return sendRequest(options, { method, path, body, takesIdempotencyKey, isRepeatable }, callOptions);
    };
    return [name, call];
  });
  return {
    ...(Object.fromEntries(methods) as Endpoints),
    uploadDocument: async (upload, callOptions) => {
      const { method, path, takesIdempotencyKey, isRepeatable } = ENDPOINTS.createDocument;
      const body = { form: toForm(upload) };
      const request = { method, path: path.slice(1), body, takesIdempotencyKey, isRepeatable };
      return (await sendRequest(options, request, callOptions)) as Received<'createDocument'>;
    },
  };
}

function toForm({ fileName, content, fields = {} }: Upload): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  // The last one: the server reads the fields before the file.
  form.set('file', content instanceof Blob ? content : new Blob([Uint8Array.from(content)]), fileName);
  return form;
}

/** Names of routes that list. */
export type ListName = {
  [Name in EndpointName]: Received<Name> extends { data: unknown[]; pagination: { hasMore: boolean } } ? Name : never;
}[EndpointName];
type ItemOf<Name extends ListName> = Received<Name> extends { data: (infer Item)[] } ? Item : never;
type PageOf<Item> = { data: Item[]; pagination: { cursor: string | null; hasMore: boolean } };

/** Every item of a list, page after page: `for await (const source of listAll(client, 'listSources'))`. */
export async function* listAll<Name extends ListName>(
  client: CandorClient,
  name: Name,
  filter: Omit<Parameters<Endpoints[Name]>[0] & object, 'cursor'> | Record<string, never> = {},
  options?: CallOptions,
): AsyncGenerator<ItemOf<Name>, void, undefined> {
  const list = client[name] as (input: object, callOptions?: CallOptions) => Promise<PageOf<ItemOf<Name>>>;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: PageOf<ItemOf<Name>> = await list({ ...filter, ...(cursor === undefined ? {} : { cursor }) }, options);
    yield* page.data;
    cursor = page.pagination.hasMore ? page.pagination.cursor : null;
  }
}
