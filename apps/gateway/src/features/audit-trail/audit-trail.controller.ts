import { Controller } from '@nestjs/common';
import { auditEventsRoute, type ResponseOf } from '@candor/contracts';
import { readAuditEvents } from '@candor/audit';
import { Database } from '@candor/persistence';
import { Contract, ContractInput, requireRequestContext, type InputOf } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';

@Controller()
export class AuditTrailController {
  constructor(private readonly database: Database) {}

  @Contract(auditEventsRoute)
  async list(
    @ContractInput() { query }: InputOf<typeof auditEventsRoute>,
  ): Promise<ResponseOf<typeof auditEventsRoute>> {
    const { scope } = requireCaller();
    requireRequestContext().audit.metadata['filter'] = query;
    const page = await this.database.read((manager) => readAuditEvents(manager, scope.tenantId, query));
    return { data: page.rows, pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }
}
