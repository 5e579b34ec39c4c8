import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest, JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Request, Response } from 'express';
import { AppError, mcpRoute } from '@candor/contracts';
import { requireRequestContext } from '@candor/runtime';
import { AdmissionService } from '../../access/admission.service.js';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { createMcpServer } from './create-mcp-server.js';
import { cancelledIds, clientOf, isNotification, methodsWithoutRoute } from './describe-messages.js';
import { McpAnswersService } from './mcp-answers.service.js';
import type { McpExchange } from './mcp-exchange.js';
import { McpPromptsService } from './prompts/mcp-prompts.service.js';
import { RunningCallsService } from './running-calls.service.js';

/** As many as the SDK takes. */
const MOST_MESSAGES = 100;

/** Answers the HTTP requests of MCP clients, each by a server of its own. */
@Injectable()
export class McpExchangesService {
  constructor(
    private readonly answers: McpAnswersService,
    private readonly prompts: McpPromptsService,
    private readonly calls: RunningCallsService,
    private readonly admission: AdmissionService,
    private readonly requests: RequestTransaction,
  ) {}

  /** Ends when the response has ended. */
  async handle(request: Request, response: Response): Promise<void> {
    const messages = readMessages(request.body);
    const exchange = this.open(request, response, messages);
    await this.recordMessages(messages);
    if (exchange.sessionId !== null) await this.cancelCalls(exchange.sessionId, messages);
    // Who has hung up already gets no answer, and no `close` would tell of it again.
    if (response.closed) return;

    const server = createMcpServer(exchange, { answers: this.answers, prompts: this.prompts });
    const transport = new StreamableHTTPServerTransport();
    const ended = once(response, 'close');
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
    await ended;
    await server.close();
  }

  private open(request: Request, response: Response, messages: readonly JSONRPCMessage[]): McpExchange {
    const { requestId, audit, signal = new AbortController().signal } = requireRequestContext();
    let isFirst = true;
    return {
      requestId,
      caller: requireCaller(),
      sessionId: sessionOf(request, response, messages),
      isBatch: messages.length > 1,
      signal,
      takeRequestId: () => {
        // From here on the call's own event is this request's.
        audit.committed = true;
        const taken = isFirst ? requestId : randomUUID();
        isFirst = false;
        return taken;
      },
    };
  }

  /** The event of what no route answers; calls write their own. Notifications need no room: one of them cancels. */
  private async recordMessages(messages: readonly JSONRPCMessage[]): Promise<void> {
    const { audit } = requireRequestContext();
    const caller = requireCaller();
    const { methods, outcome } = methodsWithoutRoute(messages, caller.scope);
    // Should none of the calls come about, the request has an event nevertheless, after its response.
    if (methods.length === 0) return void (audit.outcome = 'refused');
    const client = clientOf(messages);
    Object.assign(audit.metadata, { methods, ...(client ? { client } : {}) });
    if (!messages.every(isNotification))
      await this.admission.admit(caller, { action: mcpRoute.action }, () => undefined);
    await this.requests.recordRead(outcome);
  }

  private async cancelCalls(sessionId: string, messages: readonly JSONRPCMessage[]): Promise<void> {
    const { apiKeyId } = requireCaller().scope;
    for (const callId of cancelledIds(messages)) await this.calls.cancel({ apiKeyId, sessionId, callId });
  }
}

function readMessages(body: unknown): JSONRPCMessage[] {
  const parts: unknown[] = Array.isArray(body) ? body : [body];
  if (parts.length === 0 || parts.length > MOST_MESSAGES)
    throw new AppError('REQUEST.INVALID', { message: `body must hold 1 to ${MOST_MESSAGES} messages` });
  return parts.map((part) => {
    const message = JSONRPCMessageSchema.safeParse(part);
    if (!message.success) throw new AppError('REQUEST.INVALID', { message: 'body must be a JSON-RPC 2.0 message' });
    return message.data;
  });
}

/** A session is but a name that keeps a client's calls apart from those of others with its key: no replica remembers it. */
function sessionOf(request: Request, response: Response, messages: readonly JSONRPCMessage[]): string | null {
  if (messages.some(isInitializeRequest)) {
    const sessionId = randomUUID();
    response.setHeader('Mcp-Session-Id', sessionId);
    return sessionId;
  }
  const given = request.headers['mcp-session-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,100}$/.test(given) ? given : null;
}
