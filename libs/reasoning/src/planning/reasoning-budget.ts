import { z } from 'zod';
import { countSchema, millisecondsSchema } from '../schema/primitives.js';

/** Bounds of planning; `maxModelCalls` and `maxWallTimeMs` don't bound the answer provider, which has its own deadline. */
export const reasoningBudgetSchema = z.strictObject({
  /** Graph nodes visited and passes of expansion made. */
  maxSteps: countSchema,
  maxGraphNodes: countSchema,
  /** Rule-based providers cost none. */
  maxModelCalls: countSchema,
  /** Titles and texts of the evidence. */
  maxEvidenceTokens: countSchema,
  maxWallTimeMs: millisecondsSchema,
});
export type ReasoningBudget = z.infer<typeof reasoningBudgetSchema>;

export const DEFAULT_BUDGET: ReasoningBudget = {
  maxSteps: 12,
  maxGraphNodes: 32,
  maxModelCalls: 0,
  maxEvidenceTokens: 2048,
  maxWallTimeMs: 1000,
};

/** What a request says of it; negative and non-finite numbers are refused. */
export const reasoningBudgetInputSchema = reasoningBudgetSchema.partial();
export type ReasoningBudgetInput = z.infer<typeof reasoningBudgetInputSchema>;

export const budgetUsageSchema = z.strictObject({
  steps: countSchema,
  graphNodes: countSchema,
  modelCalls: countSchema,
  evidenceTokens: countSchema,
  wallTimeMs: millisecondsSchema,
});
export type BudgetUsage = z.infer<typeof budgetUsageSchema>;
