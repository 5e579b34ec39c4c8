import { DECLARED_STATUSES } from '@candor/contracts';
import { z } from 'zod';
import { identifierSchema, instantSchema } from '../schema/primitives.js';
import { certifiedIdentitySchema } from '../trust/generation-identity.js';

export const graphNodeSchema = z.strictObject({
  /** Of an evidence node its chunk's id, of a document node the document's id. */
  nodeId: identifierSchema,
  kind: z.enum(['document', 'evidence']),
  documentId: identifierSchema,
  title: z.string(),
  status: z.enum(DECLARED_STATUSES).nullable(),
  validFrom: instantSchema.nullable(),
  validUntil: instantSchema.nullable(),
  sourceDate: instantSchema.nullable(),
});
export type GraphNode = z.infer<typeof graphNodeSchema>;

/** `supersedes`: from the newer to the older. `contains`: from a document to a passage of it. */
export const EDGE_KINDS = [
  'supersedes',
  'conflicts_with',
  'references',
  'reply_of',
  'same_thread',
  'contains',
] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

export const graphEdgeSchema = z.strictObject({
  edgeId: identifierSchema,
  kind: z.enum(EDGE_KINDS),
  fromNodeId: identifierSchema,
  toNodeId: identifierSchema,
  /** Said by the source at ingest, or approved by a person. Nothing inferred is an edge. */
  origin: z.enum(['declared', 'reviewed']),
  declaredAt: instantSchema.nullable(),
});
export type GraphEdge = z.infer<typeof graphEdgeSchema>;

export const graphProjectionSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** SHA-256 of identity, nodes and edges; see `projectGraph`. */
  graphFingerprint: z.string().length(64),
  identity: certifiedIdentitySchema.extend({ pipelineFingerprint: identifierSchema.nullable() }),
  nodes: z.array(graphNodeSchema).max(10_000),
  edges: z.array(graphEdgeSchema).max(50_000),
  /** What a bound left out: relations that say what replaced a document, or only others. Null: nothing. */
  cut: z.enum(['standing', 'surroundings']).nullable(),
  /** Findings about these documents that a person rejected; see `identifyProposal`. */
  dismissedProposalIds: z.array(identifierSchema).max(10_000),
  /** … and those that a person approved: they are relations by now. */
  approvedProposalIds: z.array(identifierSchema).max(10_000),
});

/** Declared relations of one tenant and generation, as far as they touch the evidence. */
export type GraphProjection = z.infer<typeof graphProjectionSchema>;
