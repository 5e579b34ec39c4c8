import { Controller, Header } from '@nestjs/common';
import { ROUTES } from '@candor/contracts';
import { Operational, OperationalGet } from '@candor/runtime';
import { buildOpenApiDocument } from './build-openapi-document.js';
import { renderApiPage } from './render-api-page.js';

/** The description of the API; public, as it says nothing about any tenant. */
@Operational()
@Controller()
export class OpenApiController {
  private readonly document = buildOpenApiDocument(ROUTES);
  private readonly page = renderApiPage(ROUTES);

  @OperationalGet('openapi.json')
  describe(): Record<string, unknown> {
    return this.document;
  }

  @OperationalGet('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  )
  show(): string {
    return this.page;
  }
}
