import type { ApiKeyView } from '@candor/contracts';
import { formatAgo } from '../words/format.js';

const SOON_MS = 7 * 86_400_000;

export interface KeyState {
  words: string;
  tone: 'good' | 'warn' | undefined;
  isUsable: boolean;
}

export function describeKeyState(
  { revokedAt, expiresAt }: Pick<ApiKeyView, 'revokedAt' | 'expiresAt'>,
  now: number,
): KeyState {
  if (revokedAt !== null) return { words: 'revoked', tone: undefined, isUsable: false };
  if (expiresAt === null) return { words: 'active', tone: 'good', isUsable: true };
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return { words: 'expired', tone: undefined, isUsable: false };
  if (left <= SOON_MS) return { words: `expires ${formatAgo(expiresAt, now)}`, tone: 'warn', isUsable: true };
  return { words: 'active', tone: 'good', isUsable: true };
}
