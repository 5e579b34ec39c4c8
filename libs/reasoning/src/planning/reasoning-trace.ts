import { z } from 'zod';
import { REFUSAL_REASONS } from '../run/refusal-reason.js';
import { countSchema, identifierSchema, millisecondsSchema } from '../schema/primitives.js';

export const STEP_KINDS = [
  'retrieve',
  'assemble_evidence',
  'expand_depth',
  'propose_queries',
  'expand_queries',
  'load_graph',
  'propose',
  'visit_node',
  'answer',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

export const STEP_STOPS = [
  'gap_closed',
  'gap_remains',
  'no_neighbours',
  'no_provider',
  'no_queries',
  'max_steps',
  'max_graph_nodes',
  'max_model_calls',
  'max_evidence_tokens',
  'max_wall_time_ms',
  'provider_failure',
  'lineage_mismatch',
  /** Between evidence and graph; the run starts once more. */
  'corpus_moved',
  /** A bound left relations out of the graph. */
  'graph_cut',
] as const;
export type StepStop = (typeof STEP_STOPS)[number];

export const traceStepSchema = z.strictObject({
  /** 1..n. */
  index: z.number().int().positive(),
  kind: z.enum(STEP_KINDS),
  /** `skipped`: it was due and a bound or a missing provider kept it from starting. */
  result: z.enum(['completed', 'failed', 'skipped']),
  /** Of `visit_node`. */
  nodeId: identifierSchema.nullable(),
  /** Edges between the node and the evidence that led to it. */
  depth: countSchema.nullable(),
  /** What the step gave: hits, nodes, proposals, queries. */
  count: countSchema,
  cost: z.strictObject({
    steps: countSchema,
    modelCalls: countSchema,
    graphNodes: countSchema,
    evidenceTokens: countSchema,
    wallTimeMs: millisecondsSchema,
  }),
  /** Why it ended, where that isn't plain completion. */
  stopReason: z.enum(STEP_STOPS).nullable(),
});
export type TraceStep = z.infer<typeof traceStepSchema>;

/** Ids, counts and times of a run; never text of the corpus. */
export const reasoningTraceSchema = z.strictObject({
  steps: z.array(traceStepSchema),
  /** `answered`, or the refusal reason. */
  stopReason: z.enum(['answered', ...REFUSAL_REASONS]),
});
export type ReasoningTrace = z.infer<typeof reasoningTraceSchema>;
