import { AppError } from '@candor/contracts';
import type { SourceViewer } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';

/** Which sources the caller may know of. */
export function sourceViewer(): SourceViewer {
  const { scope } = requireCaller();
  return { tenantId: scope.tenantId, providers: scope.allowedProviders };
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
