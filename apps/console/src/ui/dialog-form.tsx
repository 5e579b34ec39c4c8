import type { ReactNode } from 'react';
import { Button } from './button.js';
import { ErrorNotice } from './notice.js';

interface DialogFormProps {
  /** What the button that sends it says. */
  submit: string;
  /** What sending it does, and how that went. */
  action: { isPending: boolean; error: unknown };
  onSubmit: () => void;
  onCancel: () => void;
  /** The fields, which check themselves. */
  children: ReactNode;
}

/** A form in a dialog: what went wrong stands above the buttons, and the fields keep what was entered. */
export function DialogForm({ submit, action: { isPending, error }, onSubmit, onCancel, children }: DialogFormProps) {
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        onSubmit();
        // Once the problems are drawn: what has to be mended may be out of sight.
        setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      }}
    >
      {children}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="form-actions">
        <Button type="submit" variant="primary" isPending={isPending}>
          {submit}
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
