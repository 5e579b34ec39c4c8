import { z } from 'zod';
import type { RouteContract } from '@candor/contracts';

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function renderSchema(title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string {
  if (!schema) return '';
  const { $schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return `<details><summary>${title}</summary><pre>${escapeHtml(JSON.stringify(json, null, 2))}</pre></details>`;
}

function renderRoute(route: RouteContract): string {
  return `<section><h2><code>${route.method} ${escapeHtml(route.path)}</code></h2>
<p><b>${escapeHtml(route.summary)}.</b> ${escapeHtml(route.description ?? '')} Action: <code>${route.action}</code>.
Success: ${route.status}.${route.idempotent ? ' Accepts <code>Idempotency-Key</code>.' : ''}</p>
${renderSchema('Path', route.params, 'input')}${renderSchema('Query', route.query, 'input')}
${renderSchema('Body', route.body, 'input')}${renderSchema('Response', route.response, 'input')}</section>`;
}

/** One page without a script or an outside asset, so that a strict policy can cover it. */
export function renderApiPage(routes: readonly RouteContract[]): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Candor API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font-size:1rem;border-top:1px solid #8884;padding-top:1rem}pre{overflow:auto;font-size:.8rem}
</style></head><body><main><h1>Candor API, version 1</h1>
<p>Send <code>Authorization: API-Key gm_…</code>. Machine-readable: <a href="/openapi.json">/openapi.json</a>.</p>
${routes.map(renderRoute).join('\n')}</main></body></html>`;
}
