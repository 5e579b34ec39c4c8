import { useParams, useSearchParams } from 'react-router';
import { Guarded } from '../ui/guarded.js';
import { Empty, ErrorNotice, Loading } from '../ui/notice.js';
import { PageHeader } from '../ui/page-header.js';
import { ItemFacts, useItem } from './item-facts.js';
import { PassageReader } from './passage-reader.js';
import { readPlace } from './read-place.js';

/** One source, opened at a place: `/items/:id?chunkId=…&start=…&end=…`. */
export function ItemScreen() {
  const { id = '' } = useParams();
  return (
    <>
      <PageHeader title="Source">A source as Candor holds it, with the words that were cited.</PageHeader>
      <Guarded action="documents:read">
        <Item id={id} />
      </Guarded>
    </>
  );
}

function Item({ id }: { id: string }) {
  const [search] = useSearchParams();
  const { data, error, isPending } = useItem(id);
  if (isPending) return <Loading what="the source" />;
  if (error) return <ErrorNotice error={error} />;
  const { chunkId, ranges } = readPlace(search);
  const opened = chunkId ?? data.chunkIds[0];
  return (
    <div className="card">
      <ItemFacts id={id} />
      {opened === undefined ? (
        <Empty>{data.error ? data.error.message : 'It has no text that can be searched yet.'}</Empty>
      ) : (
        <PassageReader key={opened} chunkId={opened} ranges={ranges} />
      )}
    </div>
  );
}
