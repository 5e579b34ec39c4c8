import { z } from 'zod';
import { uuidSchema } from '../ids.js';

export const paginationQuery = {
  cursor: z.string().min(1).max(500).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
};

export const paginationSchema = z
  .strictObject({ cursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'Pagination' });

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), pagination: paginationSchema });
}

export const idParams = z.strictObject({ id: uuidSchema });
