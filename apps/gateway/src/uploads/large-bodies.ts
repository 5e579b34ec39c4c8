import type { Request, RequestHandler, Response } from 'express';
import { AppError, DEFAULT_BODY_LIMIT_BYTES, type HttpMethod } from '@candor/contracts';
import { mediaTypeOf, requireRequestContext } from '@candor/runtime';
import { requireAction } from '../access/admission.service.js';
import type { Caller } from '../access/caller.js';
import { bodyLimit } from '../request/body-limit.js';
import { matchRoute } from '../request/match-route.js';
import type { BodyMemory, HeldRoom } from './body-memory.js';
import { announcedBytes } from './read-multipart.js';

const actionOf = matchRoute(({ action }) => action);

/**
 * Bodies beyond the common limit are read only for keys that the route is for, and as many at once as there is room for.
 * The guard, which asks for the action too, runs when the body has been parsed.
 */
export class LargeBodies {
  private readonly held = new WeakMap<object, HeldRoom>();

  /** @param isElsewhere read by somebody who reserves the room for it as well. */
  constructor(
    private readonly memory: BodyMemory,
    private readonly isElsewhere: (method: string, path: string, contentType: string) => boolean,
  ) {}

  readonly middleware: RequestHandler = (request, response, next) => {
    const { method, path } = request;
    const bytes = bytesInMemory(request);
    if (bytes <= DEFAULT_BODY_LIMIT_BYTES || this.isElsewhere(method, path, mediaTypeOf(request))) return next();
    try {
      const caller = requireRequestContext().apiKey as Caller | undefined;
      const action = actionOf(method, path);
      if (caller && action !== undefined) requireAction(caller, action);
      this.hold(request, response, bytes);
      next();
    } catch (error) {
      request.resume();
      next(error);
    }
  };

  /** How long a body really was, unpacked. */
  noteRead(request: object, bytes: number): void {
    this.held.get(request)?.shrinkTo(bytes);
  }

  private hold(request: Request, response: Response, bytes: number): void {
    const { socket } = request;
    // Its `close` has been told by now.
    if (socket.destroyed) throw new AppError('REQUEST.CANCELLED');
    const room = this.memory.reserve(bytes);
    this.held.set(request, room);
    // Of an answer that never gets its turn on a connection, only the connection tells.
    const release = (): void => {
      response.off('close', release);
      socket.off('close', release);
      room.release();
    };
    response.once('close', release);
    socket.once('close', release);
  }
}

/** What a body may take: its length if that is known before it is unpacked, else the most that its route reads. */
function bytesInMemory(request: Request): number {
  const most = bodyLimit(request.method as HttpMethod, request.path);
  const { 'transfer-encoding': chunked, 'content-encoding': packed } = request.headers;
  const length = announcedBytes(request) ?? (chunked === undefined ? 0 : most);
  return packed === undefined || length === 0 ? Math.min(length, most) : most;
}
