import { AppError } from '@candor/contracts';
import { detectFormat, type NamedFile } from './detect-format.js';

/**
 * For the door: refuses what no reader is for. An empty, damaged or encrypted file passes; its item says why it failed.
 *
 * @throws AppError EXTRACT.UNSUPPORTED_TYPE
 */
export async function refuseUnsupported(file: NamedFile): Promise<void> {
  try {
    await detectFormat(file);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'EXTRACT.UNSUPPORTED_TYPE') throw error;
  }
}
