import { readFileSync } from 'node:fs';
import type { ProviderAnswer, ProviderCall, ScriptedProviderServer } from '../scripted-provider.server.js';

/** A request, as `GET /path?query`, and what came back. */
export interface CapturedAnswer<Body = Record<string, unknown>> {
  request: string;
  status: number;
  body: Body;
}

/** Of one file beside this one; `Content` is what the test expects there. */
export function readCaptured<Content>(name: string): Content {
  return JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')) as Content;
}

/**
 * Each answer goes, unchanged, to requests for its path that agree with its own in the fields `by`. What else a request asks
 * for (a window, a size, fields) is not looked at; the method neither, as the clients post what others get.
 */
export function serveCaptured(
  server: ScriptedProviderServer,
  answers: readonly CapturedAnswer[],
  { by = [], otherwise = { status: 404 } }: { by?: readonly string[]; otherwise?: ProviderAnswer } = {},
): void {
  const known = answers.map(({ request, status, body }) => {
    const url = new URL(request.replace(/^\S+ /, ''), 'http://provider');
    return { path: url.pathname, query: url.searchParams, answer: { status, body: body['_raw'] ?? body } };
  });
  const find = (call: ProviderCall): ProviderAnswer | undefined =>
    known.find(
      ({ path, query }) => path === call.path && by.every((field) => query.get(field) === call.form.get(field)),
    )?.answer;
  server.on(/./, (call) => find(call) ?? otherwise);
}

/** The body that was captured for a path, of whatever was asked there. */
export function bodyOf<Body = Record<string, unknown>>(answers: readonly CapturedAnswer[], path: string): Body {
  const found = answers.find(({ request }) => request.includes(path));
  if (found === undefined) throw new Error(`nothing was captured for ${path}`);
  return found.body as Body;
}
