import { useState } from 'react';
import { useAction } from '../api/use-action.js';
import { useList } from '../api/use-list.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { DialogForm } from '../ui/dialog-form.js';
import { Guarded } from '../ui/guarded.js';
import { ListView } from '../ui/list-view.js';
import { Modal } from '../ui/modal.js';
import { PageHeader } from '../ui/page-header.js';
import { TextField } from '../ui/text-field.js';
import { GenerationEntry, isMoving } from './generation-entry.js';

export function GenerationsScreen() {
  const { allows } = useSession();
  const [isBuilding, setBuilding] = useState(false);
  return (
    <>
      <PageHeader
        title="Generations"
        actions={
          allows('generations:manage') ? (
            <Button variant="primary" onPress={() => setBuilding(true)}>
              Build a generation
            </Button>
          ) : null
        }
      >
        Builds of the index. A new model or way of cutting is built beside the live one, swapped in, and rolled back if
        need be, without downtime.
      </PageHeader>
      <Guarded action="generations:manage">
        <GenerationList />
      </Guarded>
      <Modal title="Build a generation" isOpen={isBuilding} onOpenChange={setBuilding}>
        {(close) => <BuildForm onDone={close} />}
      </Modal>
    </>
  );
}

function GenerationList() {
  const { query, items } = useList('listGenerations', { limit: 20 }, { isUnderWay: isMoving });
  return (
    <div aria-live="polite">
      <ListView
        query={query}
        items={items}
        what="generations"
        empty="There is no generation yet: the first one comes with the first document."
      >
        {(generation) => <GenerationEntry key={generation.id} generation={generation} />}
      </ListView>
    </div>
  );
}

function BuildForm({ onDone }: { onDone: () => void }) {
  const { client } = useSession();
  const [model, setModel] = useState('');
  const build = useAction(
    () => client.createGeneration(model.trim() === '' ? {} : { model: model.trim() }),
    ['listGenerations'],
  );
  const submit = (): void => {
    build.mutate(undefined, { onSuccess: onDone });
  };
  return (
    <DialogForm submit="Build" action={build} onSubmit={submit} onCancel={onDone}>
      <p>
        Every item is cut and embedded anew, beside the live index. Nothing changes for anybody until it is promoted.
        One build at a time.
      </p>
      <TextField
        label="Embedding model (optional)"
        value={model}
        onChange={setModel}
        maxLength={200}
        hint="Empty = what the workers are configured with."
      />
    </DialogForm>
  );
}
