import type { SourceCheck } from '@candor/contracts';

/**
 * What a check has come to: what it was answered with or, once the source itself tells of a later one, that. The server doesn't
 * wait for a slow provider: it answers `pending`, and the outcome is found in the source afterwards.
 * `before`: when the source had been checked before this check, both by the server's clock; null = never.
 */
export function followCheck(answer: SourceCheck, before: string | null, latest: SourceCheck | null): SourceCheck {
  const isLater = latest !== null && latest.checkedAt !== null && latest.checkedAt !== before;
  return isLater ? latest : answer;
}
