import type { Webhook } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { queryClient } from "../../api/query-client.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { Select } from "../../ui/select.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { SecretView } from "./secret-view.tsx";
import {
  createBodyOf,
  EMPTY_WEBHOOK,
  EVENT_CHOICES,
  FORMAT_CHOICES,
  placeOf,
  type WebhookForm,
} from "./webhook-form.ts";

type Props = { open: boolean; onClose: () => void; onSaved: (webhook: Webhook) => void };

/** Creates a webhook, and shows its key once. */
export function WebhookDialog(props: Props) {
  const [made, setMade] = useState<{ webhook: Webhook; secret: string } | null>(null);
  const finish = () => {
    setMade(null);
    if (made !== null) props.onSaved(made.webhook);
  };
  return (
    <Dialog
      open={props.open}
      onClose={made === null ? props.onClose : finish}
      title={made === null ? "New webhook" : "The webhook's secret"}
      size="medium"
    >
      {made !== null ? (
        <SecretView secret={made.secret} onClose={finish} />
      ) : (
        props.open && (
          <NewWebhook
            {...props}
            onSaved={(webhook, secret) =>
              secret === null ? props.onSaved(webhook) : setMade({ webhook, secret })
            }
          />
        )
      )}
    </Dialog>
  );
}

const FIELDS = ["name", "format", "url", "recipients", "events"] as const;

function NewWebhook({
  onClose,
  onSaved,
}: {
  onClose: () => void;
  onSaved: (webhook: Webhook, secret: string | null) => void;
}) {
  const draft = useFormDraft<WebhookForm>("webhook new", EMPTY_WEBHOOK, ["url"]);
  const { change, reset } = draft;
  const form = draft.form ?? EMPTY_WEBHOOK;
  const isAdmin = useQuery(whoamiQuery).data?.role === "admin";
  const body = createBodyOf(form);
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.webhooks.create(body),
    placeOf,
    onSaved: ({ secret, ...webhook }) => {
      reset();
      void queryClient.invalidateQueries({ queryKey: ["webhooks"] });
      toast("The webhook is created");
      onSaved(webhook, secret);
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        aside="optional"
        error={faultAt("name")}
        autoFocus
        placeholder="Chat bot"
        value={form.name}
        onChange={(name) => change({ name })}
      />
      <Field label="Sends" error={faultAt("format")}>
        {(control) => (
          <Select
            {...control}
            value={form.format}
            choices={FORMAT_CHOICES}
            onChange={(format) => change({ format })}
          />
        )}
      </Field>
      {form.format === "email" ? (
        <TextField
          label="To"
          hint="Members of the organization, separated by commas. Default: you."
          error={faultAt("recipients")}
          placeholder="ann@example.com"
          value={form.recipients}
          onChange={(recipients) => change({ recipients })}
        />
      ) : (
        <TextField
          label="URL"
          {...(form.format === "slack"
            ? { hint: "The address of an incoming webhook. It is stored encrypted and not shown again." }
            : {})}
          error={faultAt("url")}
          placeholder={
            form.format === "slack" ? "https://hooks.slack.com/services/…" : "https://hooks.example.com/berth"
          }
          value={form.url}
          onChange={(url) => change({ url })}
        />
      )}
      <Field label="Events" error={faultAt("events")}>
        {() => (
          <MultiChoice
            label="Add event"
            choices={EVENT_CHOICES.map((value) => ({ value, label: value === "*" ? "* (all)" : value }))}
            chosen={form.events}
            onChange={(events) => change({ events })}
            empty=""
          />
        )}
      </Field>
      {isAdmin && (
        <Field label="Hears of">
          {(control) => (
            <Select
              {...control}
              value={form.owner}
              choices={[
                { value: "user", label: "What I own" },
                { value: "organization", label: "What everyone in the organization sees" },
              ]}
              onChange={(owner) => change({ owner })}
            />
          )}
        </Field>
      )}
      <FormError error={error} atField={FIELDS.some((field) => faultAt(field) !== null)} />
      <FormActions
        verb="Create webhook"
        busy={busy}
        onCancel={() => {
          reset();
          onClose();
        }}
        call={{
          operation: operations.webhooks.create,
          body: form.format === "slack" ? { ...body, url: "…" } : body,
        }}
      />
    </form>
  );
}
