import type { ReactNode } from 'react';
import type { ListQuery } from '../api/use-list.js';
import { Button } from './button.js';
import { Empty, ErrorNotice, Loading } from './notice.js';

interface ListViewProps<Item> {
  query: ListQuery;
  items: readonly Item[] | undefined;
  /** What the items are, for the words around them. */
  what: string;
  /** Shown where there is none. */
  empty: ReactNode;
  children: (item: Item) => ReactNode;
}

/** Loading, failed, empty or there: the four states of every list. What was there stays while a later look fails. */
export function ListView<Item>({ query, items, what, empty, children }: ListViewProps<Item>) {
  const { error, isPending, hasNextPage, isFetchingNextPage } = query;
  if (isPending) return <Loading what={what} />;
  return (
    <div className="stack">
      {error ? (
        <ErrorNotice error={error}>
          <div className="form-actions">
            <Button size="small" onPress={() => void query.refetch()}>
              Try again
            </Button>
          </div>
        </ErrorNotice>
      ) : null}
      {items?.length === 0 ? <Empty>{empty}</Empty> : null}
      {items && items.length > 0 ? (
        <ul className="records" aria-label={what}>
          {items.map(children)}
        </ul>
      ) : null}
      {hasNextPage ? (
        <div>
          <Button isPending={isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      ) : null}
    </div>
  );
}
