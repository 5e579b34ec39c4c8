import { Injectable, Logger } from '@nestjs/common';
import {
  ErrorCode,
  McpError,
  type CallToolRequest,
  type CallToolResult,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '@candor/contracts';
import { toAppError, toErrorBody, type AnyRoute, type RawInput } from '@candor/runtime';
import { RouteCallerService, type RouteCall } from '../../request/route-caller.service.js';
import { JsonRpcError } from './json-rpc-error.js';
import type { McpExchange } from './mcp-exchange.js';
import { reportProgress, type ProgressListener } from './report-progress.js';
import { RunningCallsService } from './running-calls.service.js';
import type { AnswerNotes } from './tools/define-tool.js';
import { findTool } from './tools/mcp-tools.js';

export interface McpCallContext {
  exchange: McpExchange;
  /** The JSON-RPC id. */
  callId: RequestId;
  progress: ProgressListener;
}

/** Answers what MCP clients ask, through the handlers of the REST API. */
@Injectable()
export class McpAnswersService {
  private readonly logger = new Logger(McpAnswersService.name);

  constructor(
    private readonly routes: RouteCallerService,
    private readonly calls: RunningCallsService,
  ) {}

  /**
   * What fails is a result too (`isError`), with the REST API's error as its text: the model is to read it. A result with
   * structured content would have to follow the tool's output schema, so errors have none.
   * @throws AppError REQUEST.CANCELLED, since nobody waits for a result then; McpError for a tool that there is not
   */
  async callTool(
    { name, arguments: args }: CallToolRequest['params'],
    context: McpCallContext,
  ): Promise<CallToolResult> {
    const tool = findTool(name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool.');
    const requestId = context.exchange.takeRequestId();
    const meta: Record<string, unknown> = { 'candor/requestId': requestId };
    const notes: AnswerNotes = {};
    const call = () =>
      this.callRoute(tool.route, () => tool.readInput(args), requestId, context, {
        onRoom: ({ limit, remaining, resetSeconds }) => {
          meta['candor/rateLimit'] = { limit, remaining, resetSeconds };
        },
        onFacts: ({ answerProvider }) => {
          if (typeof answerProvider !== 'string') return;
          notes.answerProvider = answerProvider;
          meta['candor/answerProvider'] = answerProvider;
        },
      });
    try {
      const body = await (tool.isLong ? reportProgress(context.progress, tool.listing.title ?? name, call) : call());
      return {
        content: [{ type: 'text', text: tool.render(body, notes) }],
        structuredContent: body as Record<string, unknown>,
        _meta: meta,
      };
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'REQUEST.CANCELLED') throw error;
      if (!(thrown instanceof AppError)) this.logger.error(`The result of ${tool.listing.name} can't be shown`, error);
      if (error.retryAfterSeconds !== undefined) meta['candor/retryAfterSeconds'] = error.retryAfterSeconds;
      const text = JSON.stringify(toErrorBody(error, requestId));
      return { isError: true, content: [{ type: 'text', text }], _meta: meta };
    }
  }

  /** @throws JsonRpcError with the REST API's error as its data; AppError REQUEST.CANCELLED */
  async callForResult(route: AnyRoute, input: RawInput, context: McpCallContext): Promise<unknown> {
    const requestId = context.exchange.takeRequestId();
    try {
      return await this.callRoute(route, () => input, requestId, context);
    } catch (thrown) {
      const error = toAppError(thrown);
      throw error.code === 'REQUEST.CANCELLED' ? error : new JsonRpcError(error, requestId);
    }
  }

  /**
   * What another route says, as part of the answer of `whole`.
   * @returns null for what there isn't
   */
  async readPart(route: AnyRoute, input: RawInput, whole: AnyRoute, { exchange }: McpCallContext): Promise<unknown> {
    const { caller, requestId, signal } = exchange;
    try {
      return await this.routes.callPart(
        { route, readInput: () => input, caller, requestId, via: 'mcp', signal },
        whole,
      );
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status === 404) return null;
      throw new JsonRpcError(error, requestId);
    }
  }

  private callRoute(
    route: AnyRoute,
    readInput: () => RawInput,
    requestId: string,
    { exchange, callId }: McpCallContext,
    listeners: Pick<RouteCall, 'onRoom' | 'onFacts'> = {},
  ): Promise<unknown> {
    const { caller, sessionId, signal } = exchange;
    const answer = (until: AbortSignal) =>
      this.routes.call({ route, readInput, caller, requestId, via: 'mcp', signal: until, ...listeners });
    if (sessionId === null) return answer(signal);
    return this.calls.run({ apiKeyId: caller.scope.apiKeyId, sessionId, callId }, (cancelled) =>
      answer(AbortSignal.any([signal, cancelled])),
    );
  }
}
