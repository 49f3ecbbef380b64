import { operations } from "@berth/sdk/operations";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { FORWARD_TYPES, type ForwardType } from "./forward-search.ts";

type Props = {
  type: ForwardType;
  open: boolean;
  onType: (type: ForwardType) => void;
  onClose: () => void;
};

/** Registers a resource: one of the newest, or any by its id. */
export function RegisterDialog(props: Props) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title="Register a resource">
      {props.open && <Form {...props} />}
    </Dialog>
  );
}

const EMPTY = { id: "" };

function Form({ type, onType, onClose }: Props) {
  const { form, change, reset } = useFormDraft(`register ${type}`, EMPTY);
  const id = form?.id ?? "";
  const { data: choices = [] } = useQuery(registrable(type));
  const body = { type, resource: { id: id.trim() } };
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.forward.register(body),
    placeOf: (param) => param,
    onSaved: () => {
      reset();
      void queryClient.invalidateQueries({ queryKey: ["forward"] });
      toast("The resource is registered");
      onClose();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save();
  }
  const fault = faultAt("resource.id") ?? faultAt("resource");
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="max-w-full overflow-x-auto">
        <Segments label="Type" value={type} choices={FORWARD_TYPES} onChange={onType} />
      </div>
      <TextField
        label="Id"
        hint="The id of a resource that you own. Registering it again changes nothing."
        error={fault}
        value={id}
        onChange={(text) => change({ id: text })}
        controlClass="font-mono text-xs!"
      />
      {choices.length > 0 && (
        <div>
          <p className="mb-1 text-xs text-faint">Or choose one of the newest</p>
          <ul className="max-h-56 overflow-y-auto rounded-lg border border-line">
            {choices.map((choice) => (
              <li key={choice.id}>
                <button
                  type="button"
                  aria-pressed={choice.id === id}
                  onClick={() => change({ id: choice.id })}
                  className="flex h-8 w-full items-center justify-between gap-3 px-3 text-left -outline-offset-2 hover:bg-hover aria-pressed:bg-selected"
                >
                  <span className="truncate">{choice.name}</span>
                  <span className="font-mono text-xs text-faint">…{choice.id.slice(-6)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <FormError error={error} atField={fault !== null} />
      <FormActions
        verb="Register"
        busy={busy}
        disabled={id.trim() === ""}
        onCancel={() => {
          reset();
          onClose();
        }}
        call={{ operation: operations.forward.register, body }}
      />
    </form>
  );
}

type Named = { id: string; name: string };

/** The number of objects that are offered. */
const LIMIT = 50;

/** Returns the query of a type's newest objects, by name. */
function registrable(type: ForwardType) {
  return queryOptions({
    queryKey: [NOUNS[type], "registrable"],
    queryFn: ({ signal }) => LISTS[type](signal),
  });
}

const NOUNS = { environment: "environments", skill: "skills", file: "files", vault: "vaults" } as const;

const LISTS: Readonly<Record<ForwardType, (signal: AbortSignal) => Promise<Named[]>>> = {
  environment: async (signal) => (await berth.environments.list({ limit: LIMIT }, { signal })).data,
  skill: async (signal) => (await berth.skills.list({ limit: LIMIT }, { signal })).data,
  file: async (signal) =>
    (await berth.files.list({ limit: LIMIT }, { signal })).data.map(({ id, filename }) => ({
      id,
      name: filename,
    })),
  vault: async (signal) =>
    (await berth.vaults.list({ limit: LIMIT }, { signal })).data.map(({ id, display_name }) => ({
      id,
      name: display_name,
    })),
};
