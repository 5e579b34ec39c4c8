import type { ChainBatch } from '@candor/contracts';

/** What a batch's digest is made of. */
export type ChainHead = Omit<ChainBatch, 'expiredAt' | 'leaves' | 'digest' | 'signature'>;

/** Before the first batch. */
export const NO_DIGEST = '0'.repeat(64);
