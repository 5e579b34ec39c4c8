import { Controller, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  auditChainRoute,
  auditEventsRoute,
  exportAuditRoute,
  verifyAuditRoute,
  type ResponseOf,
} from '@candor/contracts';
import { readAuditEvents, readChain, verifyChain } from '@candor/audit';
import { Database } from '@candor/persistence';
import { Contract, ContractInput, requireRequestContext, type InputOf } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { ExportAuditService } from './export-audit.service.js';

/** What one request verifies at most: with full batches, a hundred thousand events. */
const BATCHES_A_VERIFICATION = 100;

@Controller()
export class AuditTrailController {
  constructor(
    private readonly database: Database,
    private readonly exports: ExportAuditService,
  ) {}

  @Contract(auditEventsRoute)
  async list(
    @ContractInput() { query }: InputOf<typeof auditEventsRoute>,
  ): Promise<ResponseOf<typeof auditEventsRoute>> {
    const { scope } = requireCaller();
    requireRequestContext().audit.metadata['filter'] = query;
    const page = await this.database.read((manager) => readAuditEvents(manager, scope.tenantId, query));
    return { data: page.rows, pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  @Contract(auditChainRoute)
  async chain(): Promise<ResponseOf<typeof auditChainRoute>> {
    const { scope } = requireCaller();
    return { data: await this.database.snapshot((manager) => readChain(manager, scope.tenantId)) };
  }

  @Contract(verifyAuditRoute)
  async verify(
    @ContractInput() { body }: InputOf<typeof verifyAuditRoute>,
  ): Promise<ResponseOf<typeof verifyAuditRoute>> {
    const { scope } = requireCaller();
    const { fromBatch } = body;
    const data = await this.database.snapshot((manager) =>
      verifyChain(manager, scope.tenantId, { fromBatch, mostBatches: BATCHES_A_VERIFICATION }),
    );
    Object.assign(requireRequestContext().audit.metadata, {
      fromBatch,
      toBatch: data.toBatch,
      findings: data.findings.length,
    });
    return { data };
  }

  @Contract(exportAuditRoute)
  export(
    @ContractInput() { query }: InputOf<typeof exportAuditRoute>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.exports.send(query.fromBatch, request, response);
  }
}
