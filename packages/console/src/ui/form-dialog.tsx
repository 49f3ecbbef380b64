import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorBox } from "./error-box.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  /** The label of the button that saves. */
  verb: string;
  busy: boolean;
  disabled?: boolean;
  onSave: () => void;
  error: Error | null;
  children: ReactNode;
};

/** Shows the fields of a form in a dialog, its error below them, and buttons that save and cancel. */
export function FormDialog({ verb, busy, disabled, onSave, error, children, ...dialog }: Props) {
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button look="primary" busy={busy} disabled={disabled} onClick={onSave}>
            {verb}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {children}
        {error !== null && <ErrorBox error={error} />}
      </div>
    </Dialog>
  );
}
