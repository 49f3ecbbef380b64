import type { ReactNode } from "react";
import { useMutation } from "../api/use-mutation.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorBox } from "./error-box.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  /** A sentence about what will be lost or changed. */
  children: ReactNode;
  /** The label of the button, a verb. */
  verb: string;
  danger?: boolean;
  act: () => Promise<unknown>;
};

/** Asks before an irreversible action, and shows the action's error. */
export function Confirm({ open, onClose, title, children, verb, danger = false, act }: Props) {
  const action = useMutation({ mutationFn: act, onSuccess: close });
  function close() {
    action.reset();
    onClose();
  }
  const actions = (
    <>
      <Button onClick={close}>Cancel</Button>
      <Button
        look={danger ? "danger" : "primary"}
        busy={action.isPending}
        onClick={() => action.mutate()}
        autoFocus
      >
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={close} title={title} actions={actions}>
      <div className="text-muted">{children}</div>
      {action.isError && <ErrorBox error={action.error} className="mt-3" />}
    </Dialog>
  );
}
