import { AppError } from '@candor/contracts';

/** SYNTHESIS.INVALID_OUTPUT for the output as a whole. */
export function invalidOutput(rule: string): AppError {
  return new AppError('SYNTHESIS.INVALID_OUTPUT', { details: { issues: [{ path: '', rule }] } });
}
