import { z } from 'zod';
import { ROUTES } from '@candor/contracts';

const MEBIBYTE = 1024 * 1024;
const LARGEST_FILE_BYTES = Math.max(...ROUTES.map(({ upload }) => upload?.fileBytes ?? 0));
const LARGEST_FILE_MIB = Math.ceil(LARGEST_FILE_BYTES / MEBIBYTE);
const DEFAULT_MIB = 192;

/** How often a file is in memory while it is stored: as it came, and twice on its way to the database. */
export const COPIES_OF_AN_UPLOAD = 3;

export const uploadsEnvironment = {
  UPLOADS_IN_FLIGHT_MIB: z.coerce
    .number()
    .int()
    .min(LARGEST_FILE_MIB)
    .max(65_536)
    .default(DEFAULT_MIB)
    .describe(
      `Files and other large bodies that are received and stored at the same time, MiB together; callers beyond that are asked to come back. ` +
        `It takes up to ${COPIES_OF_AN_UPLOAD} times as much memory.`,
    ),
};

export function uploadBytesFrom({ UPLOADS_IN_FLIGHT_MIB }: { UPLOADS_IN_FLIGHT_MIB: number }): number {
  return UPLOADS_IN_FLIGHT_MIB * MEBIBYTE;
}

/** Where nothing else is said. */
export const DEFAULT_UPLOAD_BYTES = DEFAULT_MIB * MEBIBYTE;
