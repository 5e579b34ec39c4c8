import { z } from 'zod';

/** An id that somebody else made: a chunk's, a document's, a node's. */
export const identifierSchema = z.string().min(1).max(512);

/** ISO 8601 with an offset; kept as text, so that a response survives JSON unchanged. */
export const instantSchema = z.iso.datetime({ offset: true });

/** zod's numbers are finite already; NaN, infinities and numeric strings are refused. */
export const countSchema = z.number().int().nonnegative();
export const unitIntervalSchema = z.number().min(0).max(1);
export const millisecondsSchema = z.number().nonnegative();
