import type { Connection } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { refreshConnections } from "../../api/queries/connections.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field } from "../../ui/field.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SecretInput } from "../../ui/secret-input.tsx";
import { toast } from "../../ui/toast.tsx";
import { useSave } from "../../ui/use-save.ts";
import { placeOf, rotationOf, SECRET_LABELS, typeName } from "./connection-form.ts";

type Props = { connection: Connection; onClose: () => void };

/** Shows a connection, tests it, replaces its secret, and deletes it. */
export function ConnectionView({ connection, onClose }: Props) {
  const { id, display_name: name, url, auth, owner_type: owner } = connection;
  const [deleting, setDeleting] = useState(false);
  const { data: me } = useQuery(whoamiQuery);
  const canChange = owner === "user" || me?.role === "admin";
  return (
    <>
      <Dialog open={!deleting} onClose={onClose} title={showUnseen(name)} size="medium">
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
            <span>{typeName(auth.type)}</span>
            <span className="min-w-0 truncate">{showUnseen(url)}</span>
            {owner === "organization" && <span>For everyone in the organization</span>}
            <CopyId id={id} short />
          </div>
          <Test connection={connection} />
          {canChange ? (
            <Rotation key={id} connection={connection} />
          ) : (
            <p className="text-muted">Admins of the organization replace its secret and delete it.</p>
          )}
          <div className="flex items-center justify-between gap-2 border-t border-line pt-4">
            <CallButton
              calls={[
                { operation: operations.connections.get, params: { connection_id: id } },
                { operation: operations.connections.test, params: { connection_id: id } },
              ]}
            />
            {canChange && (
              <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
          </div>
        </div>
      </Dialog>
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete “${showUnseen(name)}”?`}
        verb="Delete"
        danger
        act={async () => {
          await berth.connections.delete(id);
          queryClient.removeQueries({ queryKey: ["connections", id] });
          void refreshConnections();
          onClose();
          toast("The connection is deleted");
        }}
      >
        Its secret is deleted, and sessions get no more tokens from it. This cannot be undone.
      </Confirm>
    </>
  );
}

function Test({ connection: { id } }: { connection: Connection }) {
  const test = useMutation({ mutationFn: () => berth.connections.test(id) });
  return (
    <div className="flex flex-col items-start gap-2.5">
      <Button icon="health" busy={test.isPending} onClick={() => test.mutate()}>
        Test connection
      </Button>
      {test.isError && <ErrorBox error={test.error} />}
      {test.data !== undefined && (
        <p
          role={test.data.ok ? "status" : "alert"}
          className={`flex items-start gap-2 wrap-anywhere ${test.data.ok ? "text-ok" : "text-bad"}`}
        >
          <Icon name={test.data.ok ? "check" : "alert"} className="mt-0.5" />
          {showUnseen(test.data.message)}
        </p>
      )}
    </div>
  );
}

function Rotation({ connection: { id, auth } }: { connection: Connection }) {
  const [secret, setSecret] = useState("");
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.connections.update(id, rotationOf(auth.type, secret)),
    placeOf,
    onSaved: () => {
      setSecret("");
      void refreshConnections();
      toast("The secret is rotated");
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label={`New ${SECRET_LABELS[auth.type].toLowerCase()}`}
        hint="Sessions use it from their next command on."
        error={faultAt("secret")}
      >
        {(control) => (
          <SecretInput
            {...control}
            lines={auth.type === "github_app" ? 4 : 1}
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </Field>
      <FormError error={error} atField={faultAt("secret") !== null} />
      <Button type="submit" className="self-start" busy={busy} disabled={secret === ""}>
        Rotate the secret
      </Button>
    </form>
  );
}
