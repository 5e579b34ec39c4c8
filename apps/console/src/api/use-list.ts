import type { CandorClient, ListName, Received } from '@candor/client';
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useSession } from '../session/session.js';
import { usePolling } from './use-polling.js';

type Filter<Name extends ListName> = Omit<NonNullable<Parameters<CandorClient[Name]>[0]>, 'cursor'>;
type ItemOf<Name extends ListName> = Received<Name> extends { data: (infer Item)[] } ? Item : never;

interface Page<Item> {
  data: Item[];
  pagination: { cursor: string | null; hasMore: boolean };
}

interface ListOptions<Item> {
  /** While one of the items is under way, the list is looked at again. */
  isUnderWay?: (item: Item) => boolean;
  /** Pause between looks while none is, ms: for lists that others add to. Default: it is looked at once. */
  idleMs?: number;
  enabled?: boolean;
}

/** A list of the API, page after page. */
export function useList<Name extends ListName>(
  name: Name,
  filter: Filter<Name>,
  { isUnderWay, idleMs, enabled = true }: ListOptions<ItemOf<Name>> = {},
) {
  const { client } = useSession();
  const polling = usePolling<InfiniteData<Page<ItemOf<Name>>, string | null>>(
    ({ pages }) => pages.some(({ data }) => data.some((item) => isUnderWay?.(item) ?? false)),
    idleMs,
  );
  const query = useInfiniteQuery({
    queryKey: [name, filter],
    queryFn: ({ pageParam, signal }) => {
      const list = client[name] as unknown as (input: object, options: object) => Promise<Page<ItemOf<Name>>>;
      return list({ ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.cursor : undefined),
    enabled,
    ...(isUnderWay ? { refetchInterval: polling } : {}),
  });
  const items = query.data?.pages.flatMap(({ data }) => data);
  // As it came: some lists say more than their items.
  const first = query.data?.pages[0] as Received<Name> | undefined;
  return { query, items, first };
}

/** What a view of a list needs of its query, whatever the items. */
export interface ListQuery {
  error: Error | null;
  isPending: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}
