import { randomBytes } from 'node:crypto';
import { Controller, Req, Res } from '@nestjs/common';
import { AppError } from '@candor/contracts';
import { Operational, OperationalGet } from '@candor/runtime';
import type { Request, Response } from 'express';
import { CONSOLE_FOLDER, readConsoleAssets, type ConsoleAsset } from './console-assets.js';
import { pageHeaders, renderPage } from './page-policy.js';

const PREFIX = '/console/';
const A_YEAR = 'public, max-age=31536000, immutable';

/** The console's files. They say nothing about any tenant: what the page shows, it asks the API for, with a key. */
@Operational()
@Controller()
export class ConsoleController {
  private readonly assets = readConsoleAssets(CONSOLE_FOLDER);

  @OperationalGet('console')
  open(@Res() response: Response): void {
    this.sendPage(response);
  }

  /** A file of the build, else the page: the rest of the address is the page's own business. */
  @OperationalGet('console/*path')
  openBelow(@Req() request: Request, @Res() response: Response): void {
    const name = request.path.slice(PREFIX.length);
    const asset = this.assets.files.get(name);
    if (asset) return sendAsset(request, response, asset);
    // A missing script answered with the page would be an error that nobody understands.
    if (name.startsWith('assets/') || /\.[a-z0-9]+$/i.test(name)) throw new AppError('REQUEST.UNKNOWN_ROUTE');
    this.sendPage(response);
  }

  private sendPage(response: Response): void {
    const { page } = this.assets;
    if (page === undefined)
      throw new AppError('REQUEST.UNKNOWN_ROUTE', { message: 'The console is not built: run npm run build.' });
    const nonce = randomBytes(16).toString('base64');
    response.set(pageHeaders(nonce)).type('html').send(renderPage(page, nonce));
  }
}

function sendAsset(request: Request, response: Response, { type, body, gzip, isImmutable }: ConsoleAsset): void {
  response.set({
    'Content-Type': type,
    'Cache-Control': isImmutable ? A_YEAR : 'no-cache',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // An SVG that is opened by itself is a document, too.
    'Content-Security-Policy': "default-src 'none'",
    Vary: 'Accept-Encoding',
  });
  const isCompressed = gzip !== undefined && request.acceptsEncodings('gzip') === 'gzip';
  if (isCompressed) response.set('Content-Encoding', 'gzip');
  response.end(isCompressed ? gzip : body);
}
