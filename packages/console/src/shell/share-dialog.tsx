import type { Shares } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { changeShares, type Sharable, type ShareChange, sharesQuery } from "../api/queries/shares.ts";
import { useMutation } from "../api/use-mutation.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Button, IconButton, Spinner } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";

type Access = "read" | "write";
/** What can be chosen for the organization; a select has no null. */
type Chosen = Access | "none";

/** The words for the access to a kind of objects. */
const WORDS: Partial<Record<Sharable, Record<Access, string>>> & { usual: Record<Access, string> } = {
  sessions: { read: "Can follow it", write: "Can write to it" },
  deployments: { read: "Can see its runs", write: "Can run and pause it" },
  vaults: { read: "Can use it", write: "Can change it" },
  usual: { read: "Can use it", write: "Can change it" },
};

type Props = {
  noun: Sharable;
  id: string;
  /** What the object is, such as "agent". */
  what: string;
  open: boolean;
  onClose: () => void;
};

/** Shows with whom an object is shared. Its owner and admins change that. */
export function ShareDialog({ noun, id, what, open, onClose }: Props) {
  const { data, error } = useQuery({ ...sharesQuery(noun, id), enabled: open });
  const change = useMutation({ mutationFn: (given: ShareChange) => changeShares(noun, id, given) });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Share this ${what}`}
      description="Everyone with access can open its link."
      actions={
        <>
          <CopyAddress />
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBox error={error} />}
      {data === undefined && error === null && <Spinner className="text-faint" />}
      {data !== undefined && (
        <div className="flex flex-col gap-4">
          <People noun={noun} shares={data} busy={change.isPending} onChange={change.mutate} />
          {data.your_access === "own" && data.owner.type === "user" && (
            <AddUser noun={noun} busy={change.isPending} onAdd={(given) => change.mutateAsync(given)} />
          )}
          {change.error !== null && <ErrorBox error={change.error} />}
        </div>
      )}
    </Dialog>
  );
}

type PeopleProps = {
  noun: Sharable;
  shares: Shares;
  busy: boolean;
  onChange: (change: ShareChange) => void;
};

function People({ noun, shares, busy, onChange }: PeopleProps) {
  const words = WORDS[noun] ?? WORDS.usual;
  const { owner, data } = shares;
  const fixed = shares.your_access !== "own" || owner.type === "organization";
  const ofAll = data.find((share) => share.with.type === "organization");
  const all = owner.type === "organization" ? owner.name : ofAll?.with.name;
  const users = data.filter((share) => share.with.type === "user");
  const writes = noun === "sessions" ? [{ value: "write" as Chosen, label: words.write }] : [];
  return (
    <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
      <Person
        name={showUnseen(owner.name)}
        about={owner.type === "user" ? "Owner" : "Owner, with all its members"}
      />
      {owner.type === "user" && (
        <Person name="Everyone in the organization" {...(all !== undefined && { about: showUnseen(all) })}>
          {fixed ? (
            <span className="text-muted">{ofAll === undefined ? "No access" : words[ofAll.access]}</span>
          ) : (
            <span className="w-36 shrink-0 sm:mr-8">
              <Select<Chosen>
                label="Access of everyone in the organization"
                value={ofAll?.access ?? "none"}
                disabled={busy}
                choices={[
                  { value: "none", label: "No access" },
                  { value: "read", label: words.read },
                  ...writes,
                ]}
                onChange={(chosen) => onChange({ access: chosen === "none" ? null : chosen })}
              />
            </span>
          )}
        </Person>
      )}
      {users.map(({ with: { id, name }, access }) => (
        <Person key={id} name={showUnseen(name)}>
          {fixed ? (
            <span className="text-muted">{words[access]}</span>
          ) : (
            <span className="flex shrink-0 items-center gap-1">
              <span className="w-36">
                <Select<Access>
                  label={`Access of ${name}`}
                  value={access}
                  disabled={busy}
                  choices={[
                    { value: "read", label: words.read },
                    { value: "write", label: words.write },
                  ]}
                  onChange={(chosen) => onChange({ user: id, access: chosen })}
                />
              </span>
              <IconButton
                icon="cross"
                label={`Stop sharing with ${name}`}
                disabled={busy}
                onClick={() => onChange({ user: id, access: null })}
              />
            </span>
          )}
        </Person>
      ))}
    </ul>
  );
}

function Person({ name, about, children }: { name: string; about?: string; children?: ReactNode }) {
  return (
    <li className="flex min-h-12 items-center justify-between gap-3 px-3 py-1.5 max-sm:flex-wrap">
      <span className="min-w-0">
        <span className="block truncate">{name}</span>
        {about !== undefined && <span className="block truncate text-xs text-faint">{about}</span>}
      </span>
      {children}
    </li>
  );
}

function AddUser(props: { noun: Sharable; busy: boolean; onAdd: (change: ShareChange) => Promise<unknown> }) {
  const words = WORDS[props.noun] ?? WORDS.usual;
  const [user, setUser] = useState("");
  const [access, setAccess] = useState<Access>("read");
  function add(event: FormEvent) {
    event.preventDefault();
    if (user.trim() === "") return;
    // The dialog shows the error, and what was typed stays.
    props.onAdd({ user: user.trim(), access }).then(
      () => setUser(""),
      () => undefined,
    );
  }
  return (
    <form onSubmit={add} className="flex flex-wrap items-end gap-2">
      <Field label="Share with" className="w-full">
        {(control) => (
          <Input
            {...control}
            type="email"
            placeholder="colleague@example.com"
            value={user}
            onChange={(event) => setUser(event.target.value)}
          />
        )}
      </Field>
      <span className="w-36">
        <Select<Access>
          label="Access"
          value={access}
          choices={[
            { value: "read", label: words.read },
            { value: "write", label: words.write },
          ]}
          onChange={setAccess}
        />
      </span>
      <Button type="submit" busy={props.busy} disabled={user.trim() === ""}>
        Share
      </Button>
    </form>
  );
}

function CopyAddress() {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = () =>
    void navigator.clipboard.writeText(`${location.origin}${location.pathname}`).then(() => setCopied(true));
  return (
    <Button icon={copied ? "check" : "link"} onClick={copy}>
      {copied ? "Copied" : "Copy link"}
    </Button>
  );
}
