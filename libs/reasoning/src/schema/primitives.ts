import { z } from 'zod';

/** An id that somebody else made: a chunk's, a document's, a node's. */
export const identifierSchema = z.string().min(1).max(512);

/** ISO 8601 with an offset; kept as text, so that a response survives JSON unchanged. */
export const instantSchema = z.iso.datetime({ offset: true });

/**
 * Finite: zod refuses NaN, infinities and numeric strings. JSON has no -0, which would come back as 0, so it is none
 * from the start.
 */
export const finiteSchema = z.number().overwrite((value) => (value === 0 ? 0 : value));
export const countSchema = finiteSchema.int().nonnegative();
export const unitIntervalSchema = finiteSchema.min(0).max(1);
export const millisecondsSchema = finiteSchema.nonnegative();
