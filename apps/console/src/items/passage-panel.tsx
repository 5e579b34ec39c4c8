import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { ErrorNotice, Loading, Notice } from '../ui/notice.js';
import { ItemFacts } from './item-facts.js';
import { PassageReader } from './passage-reader.js';
import type { TextRange } from './split-at-ranges.js';

export interface Passage {
  chunkId: string;
  documentId: string;
  /** Looked up in the source; null = the passage as a whole. */
  quotation: string | null;
}

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

function OpenPassage({ passage: { chunkId, documentId, quotation } }: { passage: Passage }) {
  const place = useQuotation(chunkId, quotation);
  return (
    <>
      <ItemFacts id={documentId} />
      {place.isPending ? (
        <Loading what="the place of the quotation" />
      ) : (
        <>
          {place.error ? <ErrorNotice error={place.error} /> : null}
          {place.data?.note ? <Notice title={place.data.note} /> : null}
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

/** `ranges`: null = mark the passage as a whole. */
interface Place {
  ranges: TextRange[] | null;
  note?: string;
}

/** Asks the server where the words stand, which checks them again: offsets are never guessed here. */
function useQuotation(chunkId: string, quotation: string | null) {
  const { client, allows } = useSession();
  return useQuery({
    queryKey: ['quotation', chunkId, quotation],
    enabled: quotation === null || allows('reason'),
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Place> => {
      if (quotation === null) return { ranges: null };
      const { data } = await client.verifyCitations({ citations: [{ chunkId, quotation }] }, { signal });
      const { status, start, end, reason } = data.results[0]!;
      if (start === undefined || end === undefined) return { ranges: null, note: NOTES[reason ?? 'not_found'] };
      return {
        ranges: [{ start, end }],
        ...(status === 'repaired'
          ? { note: 'Quotes, dashes or case differ; the marked words are the source’s own.' }
          : {}),
      };
    },
  });
}

const NOTES = {
  not_found: 'The statement says it in other words; the passage that it is linked to is marked as a whole.',
  elsewhere_in_item: 'The source says so, in another place than this passage.',
  version_changed: 'The source has changed since: its present version does not say this any more.',
  unknown_chunk: 'This passage is gone, or this key may not see it.',
  unknown_version: 'The source has no version with that content.',
  empty_quotation: 'Nothing was quoted; the passage is marked as a whole.',
} as const;
