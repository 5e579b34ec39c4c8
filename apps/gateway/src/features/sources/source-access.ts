import { AppError } from '@candor/contracts';
import type { SourceViewer } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';

/** Which sources the caller may know of. */
export function sourceViewer(): SourceViewer {
  const { scope } = requireCaller();
  return { tenantId: scope.tenantId, providers: scope.allowedProviders, principals: scope.principals };
}

/**
 * Whose runs the caller may know of. What a run says (how many items, which of them failed, by name) is of everybody's
 * items, so it is nothing for a key that acts for some people.
 */
export function runViewer(): SourceViewer {
  const viewer = sourceViewer();
  if (viewer.principals)
    throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
      message: 'A sync run tells of all items of its source: a key with principals may not see or start one.',
    });
  return viewer;
}

export function noteSource(id: string): void {
  Object.assign(requireRequestContext().audit, { targetType: 'source', targetId: id });
}

export function sourceNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such source.' });
}

export function requireUsable(source: { state: string }): void {
  if (source.state === 'active' || source.state === 'paused') return;
  throw new AppError('RESOURCE.CONFLICT', { message: 'The source is being removed.' });
}
