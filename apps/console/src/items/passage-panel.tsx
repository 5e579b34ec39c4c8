import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { ErrorNotice, Loading, Notice } from '../ui/notice.js';
import { ItemFacts } from './item-facts.js';
import { noteOnChecks } from './note-on-checks.js';
import type { Passage } from './passage.js';
import { PassageReader } from './passage-reader.js';
import type { TextRange } from './split-at-ranges.js';

/** The source beside what cites it: where it comes from, and the cited words in their place. */
export function PassagePanel({ passage, onClose }: { passage: Passage; onClose: () => void }) {
  const { allows } = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="card">
      <div className="row row-between">
        <h2 ref={heading} tabIndex={-1}>
          In the source
        </h2>
        <Button size="small" onPress={onClose}>
          Close
        </Button>
      </div>
      {allows('documents:read') ? (
        <OpenPassage passage={passage} />
      ) : (
        <Notice title="This key may not open sources">
          It lacks the action <code>documents:read</code>. The citation was checked all the same.
        </Notice>
      )}
    </div>
  );
}

function OpenPassage({ passage }: { passage: Passage }) {
  const { chunkId, documentId } = passage;
  const place = usePlace(passage);
  return (
    <>
      <ItemFacts id={documentId} />
      {place.isPending ? (
        <Loading what="the place of the quotation" />
      ) : (
        <>
          {place.error ? <ErrorNotice error={place.error} /> : null}
          {place.data?.notes.map((note) => (
            <Notice key={note} title={note} />
          ))}
          <PassageReader chunkId={chunkId} ranges={place.data?.ranges ?? null} />
        </>
      )}
      <Link to={`/items/${documentId}?${placeQuery(chunkId, place.data?.ranges?.[0])}`}>Open the whole source</Link>
    </>
  );
}

function placeQuery(chunkId: string, range: TextRange | undefined): string {
  const place = new URLSearchParams({ chunkId });
  if (range) {
    place.set('start', String(range.start));
    place.set('end', String(range.end));
  }
  return place.toString();
}

interface Place {
  /** Null = mark the passage as a whole. */
  ranges: TextRange[] | null;
  notes: string[];
}

/** The places that came with the quotations; the server is asked for the others, which checks them again. Offsets are never guessed here. */
function usePlace({ chunkId, quotations }: Passage) {
  const { client, allows } = useSession();
  const known = quotations.flatMap(({ place }) => (place ? [place] : []));
  const sought = quotations.filter(({ place }) => place === null).map(({ quotation }) => quotation);
  const isKnown = sought.length === 0;
  return useQuery({
    queryKey: ['quotations', chunkId, sought, known],
    enabled: isKnown || allows('reason'),
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Place> => {
      if (isKnown) return { ranges: known.length > 0 ? known : null, notes: [] };
      const citations = sought.map((quotation) => ({ chunkId, quotation }));
      const { data } = await client.verifyCitations({ citations }, { signal });
      const found = data.results.flatMap(({ start, end }) =>
        start === undefined || end === undefined ? [] : [{ start, end }],
      );
      const ranges = [...known, ...found];
      return { ranges: ranges.length > 0 ? ranges : null, notes: noteOnChecks(data.results, ranges.length > 0) };
    },
  });
}
