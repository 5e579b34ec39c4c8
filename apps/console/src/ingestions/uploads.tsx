import { useReducer } from 'react';
import { DropZone, FileTrigger, Text } from 'react-aria-components';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { UploadEntry } from './upload-entry.js';

interface QueuedFile {
  id: number;
  file: File;
}

/** Each file is one document, sent by its entry in the list. */
export function Uploads() {
  const { allows } = useSession();
  const [files, add] = useReducer(
    (known: QueuedFile[], more: File[]) => [
      ...more.map((file, index) => ({ id: known.length + index, file })),
      ...known,
    ],
    [],
  );
  if (!allows('documents:write'))
    return (
      <Notice title="This key may not upload documents">
        It lacks the action <code>documents:write</code>.
      </Notice>
    );
  return (
    <section className="stack-tight" aria-labelledby="upload">
      <h2 id="upload">Upload documents</h2>
      <DropZone
        className="drop-zone"
        onDrop={(event) => {
          const dropped = event.items.filter((item) => item.kind === 'file');
          void Promise.all(dropped.map((item) => item.getFile())).then(add);
        }}
      >
        <Text slot="label">Drop files here: PDF, Office, mail, text, tables and more, up to 100 MiB each.</Text>
        <FileTrigger allowsMultiple onSelect={(chosen) => add(chosen ? [...chosen] : [])}>
          <Button>Choose files</Button>
        </FileTrigger>
      </DropZone>
      <ul className="records" aria-label="Uploads" aria-live="polite">
        {files.map(({ id, file }) => (
          <UploadEntry key={id} file={file} />
        ))}
      </ul>
    </section>
  );
}
