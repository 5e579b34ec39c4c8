import { z } from 'zod';

export const PROVIDER_NAMES = [
  'retriever',
  'graph_provider',
  'proposal_provider',
  'answer_provider',
  'expansion_provider',
  'expansion_retriever',
] as const;
export const providerNameSchema = z.enum(PROVIDER_NAMES);
export type ProviderName = z.infer<typeof providerNameSchema>;

export const PROVIDER_FAILURE_KINDS = ['timeout', 'malformed_output', 'wrong_cardinality', 'provider_error'] as const;
export const providerFailureKindSchema = z.enum(PROVIDER_FAILURE_KINDS);
export type ProviderFailureKind = z.infer<typeof providerFailureKindSchema>;

/** A failure in band. The message names rules and places, never a provider's own text. */
export const providerFailureSchema = z.strictObject({
  provider: providerNameSchema,
  kind: providerFailureKindSchema,
  message: z.string(),
});
export type ProviderFailure = z.infer<typeof providerFailureSchema>;
