import { ApiError, ConnectionError } from '@candor/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** One for each sign-in, so that nothing that one key saw is there for the next. */
export function createQueryClient(onRejectedKey: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401) onRejectedKey();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        // What the server refuses it refuses again; what is down for a moment may be back.
        retry: (failures, error) => failures < 2 && isPassing(error),
      },
    },
  });
}

function isPassing(error: Error): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status === 503);
}
