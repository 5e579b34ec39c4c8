import {
  createParamDecorator,
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { defer, finalize, mergeMap, type Observable } from 'rxjs';
import { AppError, type RouteContract } from '@candor/contracts';
import { routeOf } from '@candor/runtime';
import type { GatewayLimits } from '../config.js';
import { matchRoute } from '../request/match-route.js';
import { GATEWAY_LIMITS } from '../tokens.js';
import { announcedBytes, readMultipart, type MultipartFile } from './read-multipart.js';
import { toBody } from './to-body.js';
import { DEFAULT_UPLOAD_BYTES } from './uploads-environment.js';

const uploadOf = matchRoute(({ upload }) => upload);
const MULTIPART = 'multipart/form-data';

const files = new WeakMap<Request, MultipartFile>();

/** Bodies that the interceptor reads, when access is decided; everything else is parsed as JSON. */
export function isUpload(method: string, path: string, contentType: string): boolean {
  return contentType === MULTIPART && uploadOf(method, path) !== undefined;
}

/** The file of a multipart body; null when the body was JSON. */
export const Upload = createParamDecorator((_: undefined, execution: ExecutionContext): MultipartFile | null => {
  return files.get(execution.switchToHttp().getRequest<Request>()) ?? null;
});

/**
 * Reads uploads into memory, after the key was checked and before anything looks at the body: as many at once as there is
 * memory for, and whoever comes then is asked to come back.
 */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  private reservedBytes = 0;
  private readonly mostBytes: number;

  constructor(@Inject(GATEWAY_LIMITS) limits: Pick<GatewayLimits, 'uploadBytes'>) {
    this.mostBytes = limits.uploadBytes ?? DEFAULT_UPLOAD_BYTES;
  }

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const upload = routeOf(execution)?.upload;
    const request = execution.switchToHttp().getRequest<Request>();
    if (!upload || !isMultipart(request)) return next.handle();
    return defer(async () => this.read(request, upload)).pipe(
      mergeMap(({ reserved }) =>
        next.handle().pipe(
          finalize(() => {
            this.reservedBytes -= reserved;
            files.delete(request);
          }),
        ),
      ),
    );
  }

  private async read(request: Request, upload: NonNullable<RouteContract['upload']>): Promise<{ reserved: number }> {
    const reserved = Math.min(announcedBytes(request) ?? upload.fileBytes, upload.fileBytes);
    if (this.reservedBytes + reserved > this.mostBytes) {
      request.resume();
      throw new AppError('RATE_LIMIT.EXCEEDED', {
        message: 'Too many uploads are being received at once.',
        retryAfterSeconds: 2,
      });
    }
    this.reservedBytes += reserved;
    try {
      const body = await readMultipart(request, upload.fileBytes);
      request.body = toBody(body, upload.listFields);
      if (body.file) files.set(request, body.file);
      return { reserved };
    } catch (error) {
      this.reservedBytes -= reserved;
      throw error;
    }
  }
}

function isMultipart(request: Request): boolean {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === MULTIPART;
}
