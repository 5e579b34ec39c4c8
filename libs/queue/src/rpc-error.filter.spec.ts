import { AppError } from '@candor/contracts';
import { lastValueFrom } from 'rxjs';
import { RpcErrorFilter } from './rpc-error.filter.js';

describe('RpcErrorFilter', () => {
  it('passes an AppError through unchanged', async () => {
    const error = new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { retryAfterSeconds: 3 });
    await expect(lastValueFrom(new RpcErrorFilter().catch(error))).rejects.toBe(error);
  });

  it('makes anything else unexpected, its text for our logs alone', async () => {
    const cause = new TypeError('content');
    await expect(lastValueFrom(new RpcErrorFilter().catch(cause))).rejects.toMatchObject({
      code: 'INTERNAL.UNEXPECTED',
      message: 'Something went wrong on our side.',
      cause,
    });
  });
});
