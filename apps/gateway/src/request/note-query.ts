import { describeQuery } from '@candor/audit';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../access/caller.js';

/** What was asked, for the audit event: the query as the tenant wants it kept, and the scope of the question. */
export function noteQuery<Request extends { query: string }>({ query, ...scope }: Request): void {
  const { tenant, scope: caller } = requireCaller();
  Object.assign(requireRequestContext().audit.metadata, describeQuery(query, tenant.auditQueryText), {
    request: scope,
    // Feedback on what it gets says nothing of the rest.
    callerIsRestricted: caller.allowedProviders !== null || caller.principals !== null,
  });
}
