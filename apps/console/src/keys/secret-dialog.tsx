import { Button } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { Modal } from '../ui/modal.js';
import type { NewSecret } from './keys.screen.js';

/** The one time that a secret can be seen: it closes by its button alone. */
export function SecretDialog({ secret, onClose }: { secret: NewSecret | null; onClose: () => void }) {
  return (
    <Modal
      title={`The secret of ${secret?.name ?? ''}`}
      isOpen={secret !== null}
      isDismissable={false}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      {(close) => (
        <>
          <p>Copy it now: it is not shown again.</p>
          <div className="row">
            <code className="source-text" data-testid="secret">
              {secret?.key}
            </code>
            <CopyButton text={secret?.key ?? ''} label="the secret" />
          </div>
          <div>
            <Button variant="primary" onPress={close}>
              I have copied it
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
