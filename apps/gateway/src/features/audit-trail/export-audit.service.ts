import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { exportChain } from '@candor/audit';
import { Database } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';

@Injectable()
export class ExportAuditService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  /** Its event is committed before the first line leaves. What fails in between ends the connection: no `end` line, no export. */
  async send(fromBatch: number, request: Request, response: Response): Promise<void> {
    const { scope } = requireCaller();
    requireRequestContext().audit.metadata['fromBatch'] = fromBatch;
    await this.requests.recordRead('succeeded');
    response.status(200).setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
    response.setHeader('Content-Disposition', `attachment; filename="audit-${scope.tenantId}.ndjson"`);
    try {
      await pipeline(Readable.from(this.lines(scope.tenantId, fromBatch)), response);
    } catch (error) {
      if (!request.destroyed && !response.headersSent) throw error;
      response.destroy();
    }
  }

  private async *lines(tenantId: string, fromBatch: number): AsyncGenerator<string> {
    // Named: what drains the response doesn't run in the request's context, and would see nobody's rows.
    const database = this.database.forTenants([tenantId]);
    for await (const line of exportChain(database, tenantId, fromBatch)) yield `${JSON.stringify(line)}\n`;
  }
}
