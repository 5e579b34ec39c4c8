import { ROUTES } from '@candor/contracts';
import { buildOpenApiDocument } from './build-openapi-document.js';
import { renderApiPage } from './render-api-page.js';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean };
  responses: Record<string, unknown>;
}

describe('the OpenAPI document', () => {
  const document = buildOpenApiDocument(ROUTES) as { paths: Record<string, Record<string, Operation>> };

  it('has every route once, with its status of success and the error shape', () => {
    for (const route of ROUTES) {
      const operation = document.paths[route.path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[route.method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {})).toEqual([String(route.status), 'default']);
    }
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    );
    expect(ids).toHaveLength(ROUTES.length);
    expect(new Set(ids).size).toBe(ROUTES.length);
  });

  it('names parameters, and says which bodies are needed', () => {
    const read = document.paths['/v1/source-items/{id}']?.['get'];
    expect(read?.parameters).toMatchObject([{ name: 'id', in: 'path', required: true }]);
    expect(document.paths['/v1/search']?.['post']?.requestBody?.required).toBe(true);
    expect(document.paths['/v1/api-keys/{id}/rotate']?.['post']?.requestBody?.required).toBe(false);
    expect(document.paths['/v1/ingest']?.['post']?.parameters).toMatchObject([
      { name: 'Idempotency-Key', in: 'header' },
    ]);
  });

  it('renders a page without scripts or outside assets', () => {
    const page = renderApiPage(ROUTES);
    expect(page).not.toMatch(/<script|https?:\/\/|src=/);
    for (const route of ROUTES) expect(page).toContain(`${route.method} ${route.path}`);
  });
});
