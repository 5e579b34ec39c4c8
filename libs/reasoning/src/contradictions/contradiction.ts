import { z } from 'zod';
import { proposalKindSchema } from '../proposals/inference-proposal.js';
import { identifierSchema, instantSchema } from '../schema/primitives.js';

export const contradictionSideSchema = z.strictObject({
  /** An item of the trusted bundle; of a settled one also what planning took out, or an outdated hit. */
  chunkId: identifierSchema,
  documentId: identifierSchema,
  documentTitle: z.string(),
  quotation: z.string().min(1),
  value: z.string().min(1),
  sourceDate: instantSchema.nullable(),
});
export type ContradictionSide = z.infer<typeof contradictionSideSchema>;

/** The declared relation that decides. Dates alone settle nothing. */
export const settlementSchema = z.strictObject({
  by: z.enum(['supersedes', 'validity', 'status']),
  /** The edge for `supersedes`; else the document node that declares it. */
  relationId: identifierSchema,
  prevails: z.enum(['left', 'right']),
});
export type Settlement = z.infer<typeof settlementSchema>;

/** Two cited sides that disagree. */
export const contradictionSchema = z.strictObject({
  kind: proposalKindSchema,
  subject: z.string().min(1),
  left: contradictionSideSchema,
  right: contradictionSideSchema,
  /** Null: nothing declared settles it. */
  settledBy: settlementSchema.nullable(),
  /** The proposal that found it, when one did. */
  proposalId: identifierSchema.nullable(),
});
export type Contradiction = z.infer<typeof contradictionSchema>;
