import {
  createParamDecorator,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { defer, finalize, mergeMap, type Observable } from 'rxjs';
import type { RouteContract } from '@candor/contracts';
import { mediaTypeOf, routeOf } from '@candor/runtime';
import { matchRoute } from '../request/match-route.js';
import { BodyMemory, type HeldRoom } from './body-memory.js';
import { announcedBytes, readMultipart, type MultipartFile } from './read-multipart.js';
import { toBody } from './to-body.js';

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
  constructor(private readonly memory: BodyMemory) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const upload = routeOf(execution)?.upload;
    const request = execution.switchToHttp().getRequest<Request>();
    if (!upload || mediaTypeOf(request) !== MULTIPART) return next.handle();
    return defer(async () => this.read(request, upload)).pipe(
      mergeMap((room) =>
        next.handle().pipe(
          finalize(() => {
            room.release();
            files.delete(request);
          }),
        ),
      ),
    );
  }

  private async read(request: Request, upload: NonNullable<RouteContract['upload']>): Promise<HeldRoom> {
    const room = this.reserve(request, upload.fileBytes);
    try {
      const body = await readMultipart(request, upload.fileBytes);
      request.body = toBody(body, upload.listFields);
      if (body.file) files.set(request, body.file);
      return room;
    } catch (error) {
      room.release();
      throw error;
    }
  }

  private reserve(request: Request, mostBytes: number): HeldRoom {
    try {
      return this.memory.reserve(Math.min(announcedBytes(request) ?? mostBytes, mostBytes));
    } catch (error) {
      request.resume();
      throw error;
    }
  }
}
