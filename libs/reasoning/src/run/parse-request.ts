import { AppError, invalidField } from '@candor/contracts';
import { z } from 'zod';
import { evidencePolicySchema, type EvidencePolicy } from '../evidence/evidence-policy.js';
import { DEFAULT_BUDGET, reasoningBudgetInputSchema, type ReasoningBudget } from '../planning/reasoning-budget.js';
import { identifierSchema, instantSchema } from '../schema/primitives.js';
import { generationSelectionSchema, type GenerationSelection } from '../trust/generation-identity.js';
import { reasoningPolicyInputSchema, resolvePolicy, type ReasoningPolicy } from './reasoning-policy.js';
import type { ReasoningProviderPorts } from './reasoning-ports.js';
import type { ReasoningRequest } from './reasoning-request.js';

const requestFieldsSchema = z.strictObject({
  query: z.string(),
  tenantId: identifierSchema,
  generation: generationSelectionSchema.default({}),
  knownAsOf: instantSchema.nullish(),
  policy: reasoningPolicyInputSchema.default(reasoningPolicyInputSchema.parse({})),
  budget: reasoningBudgetInputSchema.default({}),
  evidencePolicy: evidencePolicySchema.prefault({}),
});

/** A request that was checked, with every default in place. */
export interface ParsedRequest {
  query: string;
  tenantId: string;
  generation: GenerationSelection;
  knownAsOf: string | null;
  policy: ReasoningPolicy;
  budget: ReasoningBudget;
  evidencePolicy: EvidencePolicy;
  providers: ReasoningProviderPorts;
  signal: AbortSignal | undefined;
}

/** Throws REQUEST.INVALID, naming the field: an unknown one, an unknown policy, a number that is negative or not finite. */
export function parseRequest(request: ReasoningRequest): ParsedRequest {
  const { providers, signal, ...fields } = request;
  const parsed = requestFieldsSchema.safeParse(fields);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : (issue?.path ?? []);
    throw new AppError('REQUEST.INVALID', {
      details: { field: field.map(String).join('.'), rule: issue?.message ?? 'is invalid' },
    });
  }
  const policy = resolvePolicy(parsed.data.policy);
  if (
    policy.allowProposalGuidedExpansion &&
    policy.name !== 'retrieval_only' &&
    providers.graphProvider === undefined
  ) {
    throw invalidField('providers.graphProvider', `is required by the policy ${policy.name}`);
  }
  return {
    ...parsed.data,
    policy,
    knownAsOf: parsed.data.knownAsOf ?? null,
    budget: { ...DEFAULT_BUDGET, ...dropUndefined(parsed.data.budget) },
    providers,
    signal,
  };
}

function dropUndefined<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>;
  };
}
