import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ChunkReading } from '@candor/contracts';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { ErrorNotice, Loading, Notice } from '../ui/notice.js';
import { joinPassages, type Stretch } from './join-passages.js';
import { splitAtRanges, type TextRange } from './split-at-ranges.js';

interface PassageReaderProps {
  chunkId: string;
  /** Offsets into the item's text; null = mark the passage itself, [] = nothing. */
  ranges: readonly TextRange[] | null;
}

/** A passage in the words of its source, and as much around it as somebody wants to read. */
export function PassageReader({ chunkId, ranges }: PassageReaderProps) {
  const [chunkIds, setChunkIds] = useState([chunkId]);
  const { client } = useSession();
  const readings = useQueries({
    queries: chunkIds.map((id) => ({
      queryKey: ['readChunk', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await client.readChunk({ chunkId: id }, { signal })).data,
      staleTime: Infinity,
    })),
  });
  const read = readings.flatMap(({ data }) => (data ? [data] : []));
  const error = readings.find((reading) => reading.error)?.error;
  const own = read.find((reading) => reading.chunkId === chunkId);
  if (!own) return error ? <ErrorNotice error={error} /> : <Loading what="the passage" />;
  const { sectionPath, position } = own.hierarchy;
  const marked = ranges ?? [{ start: own.metadata.startIndex, end: own.metadata.endIndex }];
  return (
    <div className="stack-tight">
      {sectionPath.length > 0 ? <p className="quiet small">{sectionPath.join(' › ')}</p> : null}
      {position.isLive ? null : (
        <Notice tone="warn" title={`This is version ${position.version}, and the source has changed since`} />
      )}
      {joinPassages(read).map((stretch) => (
        <StretchOfText key={stretch.start} stretch={stretch} ranges={marked} />
      ))}
      {error ? <ErrorNotice error={error} /> : null}
      <Around read={read} onRead={(id) => setChunkIds([...chunkIds, id])} />
    </div>
  );
}

function StretchOfText({ stretch: { start, text }, ranges }: { stretch: Stretch; ranges: readonly TextRange[] }) {
  const element = useRef<HTMLDivElement>(null);
  const within = ranges.map((range) => ({ start: range.start - start, end: range.end - start }));
  useEffect(() => {
    // Newer browsers return a promise, which would be taken for the effect's clean-up.
    void element.current?.querySelector('mark')?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <div className="source-text" ref={element}>
      {splitAtRanges(text, within).map((part, index) =>
        part.marked ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
      )}
    </div>
  );
}

function Around({ read, onRead }: { read: readonly ChunkReading[]; onRead: (chunkId: string) => void }) {
  const ids = new Set<string>(read.map(({ chunkId }) => chunkId));
  const sorted = [...read].sort((a, b) => a.metadata.startIndex - b.metadata.startIndex);
  const steps = {
    before: sorted[0]?.hierarchy.position.prev,
    after: sorted.at(-1)?.hierarchy.position.next,
    'the section around it': sorted[0]?.hierarchy.position.parentId,
  };
  return (
    <div className="row">
      {Object.entries(steps).map(([name, id]) =>
        id && !ids.has(id) ? (
          <Button key={name} size="small" variant="quiet" onPress={() => onRead(id)}>
            Read {name}
          </Button>
        ) : null,
      )}
    </div>
  );
}
