import { z } from 'zod';
import { uuidSchema } from '../ids.js';

/** What changed, in the words of whoever changed it. */
export const changeLogSchema = z.string().trim().min(1, 'must contain at least one non-whitespace character').max(1000);

export const tagSchema = z
  .string()
  .max(100)
  .refine((value) => value.trim().length > 0, 'must contain at least one non-whitespace character');
export const tagsSchema = z.array(tagSchema).max(100);

/** In a query: separated by commas; what has all of them passes. */
export const tagsFilterSchema = z
  .string()
  .max(1000)
  .transform((tags) =>
    tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  );

/** One state of a prompt or a document. */
export const versionSchema = z
  .strictObject({
    /** For `restore`. */
    id: z.guid(),
    /** Counts from 1. */
    version: z.number().int().positive(),
    title: z.string(),
    /** Name of the API key that made it; null for what a source's sync brought. */
    userName: z.string().nullable(),
    changeLog: z.string().nullable(),
    /** As text; null for a document's version that was never read. */
    content: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Version' });
export type Version = z.infer<typeof versionSchema>;

/** The largest sum of UTF-16 units that the contents of one page of versions have; a page of one may have more. */
export const VERSIONS_PAGE_CHARACTERS = 2_000_000;

export const restoreBodySchema = z.strictObject({ versionId: uuidSchema }).meta({ id: 'RestoreVersion' });
export type RestoreBody = z.infer<typeof restoreBodySchema>;

export const restoredSchema = z
  .strictObject({ id: z.guid(), title: z.string(), currentVersion: z.number().int().positive() })
  .meta({ id: 'RestoredVersion' });
export type Restored = z.infer<typeof restoredSchema>;
