import type { ReactElement, ReactNode } from 'react';
import { Dialog, DialogTrigger, Heading, Modal as AriaModal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.js';

interface ModalProps {
  title: string;
  role?: 'dialog' | 'alertdialog';
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  /** Escape and a click beside it close it; not where a secret would be lost. */
  isDismissable?: boolean;
  children: (close: () => void) => ReactNode;
}

export function Modal({ title, role = 'dialog', isDismissable = true, children, ...open }: ModalProps) {
  return (
    <ModalOverlay
      className="modal-backdrop"
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      {...open}
    >
      <AriaModal className="modal">
        <Dialog role={role}>
          {({ close }) => (
            <>
              <Heading slot="title" level={2}>
                {title}
              </Heading>
              {children(close)}
            </>
          )}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  /** The button that asks. */
  trigger: ReactElement;
  title: string;
  /** What will happen. */
  children: ReactNode;
  confirm: string;
  isDangerous?: boolean;
  onConfirm: () => void;
}

/** Asks before something that can't be taken back, or that many will notice. */
export function Confirm({ trigger, title, children, confirm, isDangerous = false, onConfirm }: ConfirmProps) {
  return (
    <DialogTrigger>
      {trigger}
      <Modal title={title} role="alertdialog">
        {(close) => (
          <>
            <div>{children}</div>
            <div className="form-actions">
              <Button
                variant={isDangerous ? 'danger' : 'primary'}
                onPress={() => {
                  onConfirm();
                  close();
                }}
              >
                {confirm}
              </Button>
              <Button onPress={close}>Cancel</Button>
            </div>
          </>
        )}
      </Modal>
    </DialogTrigger>
  );
}
