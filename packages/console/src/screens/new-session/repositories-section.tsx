import type { Connection, Session } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useMemo } from "react";
import { connectionChoices } from "../../api/queries/connections.ts";
import { recentSessions } from "../../api/queries/sessions.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, IconButton, Spinner } from "../../ui/button.tsx";
import { Field, Input, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/select.tsx";
import { BranchChoices, ConnectedRepository } from "./connected-repository.tsx";
import { type Form, newRepository, providersIn, type RepositoryEntry, withUrl } from "./form.ts";
import type { CloneState } from "./start-session.ts";

type Part = Pick<Form, "repositories">;
type Props = {
  form: Part;
  change: (part: Partial<Part>) => void;
  faultAt: (field: string) => string | null;
  /** The clones of a session that is being created, by the keys of its repositories; null before that. */
  clones: ReadonlyMap<string, CloneState> | null;
  onTryAgain?: (key: string) => void;
  /** Shown above the repositories. */
  note?: ReactNode;
};

const NO_SESSIONS: Session[] = [];
const NO_CONNECTIONS: Connection[] = [];

/** Edits the repositories of sessions. While a new session clones them, a rejected token shows here. */
export function RepositoriesSection({ form, change, faultAt, clones, onTryAgain, note }: Props) {
  const { data: sessions = NO_SESSIONS } = useQuery({
    ...recentSessions,
    enabled: form.repositories.length > 0,
  });
  const providers = useMemo(() => providersIn(sessions), [sessions]);
  const { data: connections = NO_CONNECTIONS } = useQuery(connectionChoices);
  // Most repositories of who has a connection are at its host.
  const first = connections[0] ?? null;
  const set = (key: string, part: Partial<RepositoryEntry>) =>
    change({ repositories: form.repositories.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  return (
    <FormSection
      title="Repositories"
      about="Cloned into the sandbox. Tokens are stored encrypted and never shown again."
    >
      {note}
      {form.repositories.map((repository) => (
        <Repository
          key={repository.key}
          repository={repository}
          providers={providers}
          connections={connections}
          fault={(field) => faultAt(`${repository.key} ${field}`)}
          clone={
            clones === null ? null : (clones.get(repository.key) ?? { state: "cloning", text: "waiting" })
          }
          onChange={(part) => set(repository.key, part)}
          onRemove={() =>
            change({ repositories: form.repositories.filter(({ key }) => key !== repository.key) })
          }
          onTryAgain={() => onTryAgain?.(repository.key)}
        />
      ))}
      {clones === null && (
        <Button
          icon="plus"
          className="self-start"
          onClick={() =>
            change({ repositories: [...form.repositories, { ...newRepository(), ...accessOf(first) }] })
          }
        >
          Add repository
        </Button>
      )}
    </FormSection>
  );
}

/** What a repository gets with a connection, or without one. Its kind is that of the connection's host. */
function accessOf(connection: Connection | null): Partial<RepositoryEntry> {
  const without = { secret: "", username: "" };
  return connection === null
    ? { ...without, connectionId: null }
    : { ...without, connectionId: connection.id, kind: connection.hosted ? "hosted" : "git" };
}

type RepositoryProps = {
  repository: RepositoryEntry;
  providers: ReadonlySet<string>;
  connections: readonly Connection[];
  fault: (field: string) => string | null;
  clone: CloneState | null;
  onChange: (part: Partial<RepositoryEntry>) => void;
  onRemove: () => void;
  onTryAgain: () => void;
};

function Repository(props: RepositoryProps) {
  const { repository, providers, connections, fault, clone, onChange, onRemove, onTryAgain } = props;
  const { kind, connectionId = null, url, username, secret, ref, refType, mountPath } = repository;
  const frozen = clone !== null;
  const branches = useId();
  const connection = connections.find(({ id }) => id === connectionId);
  return (
    <div className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4">
      <div className="flex items-start gap-2">
        {connection === undefined ? (
          <TextField
            label="URL"
            className="flex-1"
            error={fault("url") ?? fault("")}
            disabled={frozen}
            placeholder="https://github.com/acme/parser"
            value={url}
            onChange={(text) => onChange(withUrl(repository, text, providers))}
          />
        ) : (
          <ConnectedRepository
            key={connection.id}
            connection={connection}
            url={url}
            disabled={frozen}
            fault={fault("url") ?? fault("")}
            onChange={(text) => onChange({ url: text })}
          />
        )}
        {!frozen && (
          <IconButton icon="trash" label="Remove this repository" onClick={onRemove} className="mt-7" />
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        {(connections.length > 0 || connectionId !== null) && (
          <Field label="Access" error={fault("connection")}>
            {(control) => (
              <Select
                {...control}
                disabled={frozen}
                value={connectionId}
                choices={[
                  ...connections.map(({ id, display_name, url: host }) => ({
                    value: id as string | null,
                    label: showUnseen(display_name),
                    about: showUnseen(host.replace("https://", "")),
                  })),
                  { value: null, label: "A token, or none", about: "For any URL" },
                ]}
                onChange={(next) => onChange(accessOf(connections.find(({ id }) => id === next) ?? null))}
              />
            )}
          </Field>
        )}
        <Field label="Type">
          {(control) => (
            <Select
              {...control}
              disabled={frozen}
              value={kind}
              choices={[
                {
                  value: "hosted",
                  label: "At a git provider",
                  about: "Such as GitHub; also for pull requests",
                },
                { value: "git", label: "Any git server", about: "With a username and a password" },
              ]}
              onChange={(next) => onChange({ kind: next })}
            />
          )}
        </Field>
        {kind === "git" && connectionId === null && (
          <TextField
            label="Username"
            aside="optional"
            error={fault("username")}
            disabled={frozen}
            value={username}
            onChange={(text) => onChange({ username: text })}
          />
        )}
        {connectionId === null && (
          <TextField
            label={kind === "hosted" ? "Token" : "Password"}
            aside="not needed if public"
            error={fault("secret")}
            type="password"
            autoComplete="new-password"
            value={secret}
            disabled={frozen && clone.state !== "failed"}
            onChange={(text) => onChange({ secret: text })}
          />
        )}
        <Field label="Check out" aside="empty: the default branch" error={fault("checkout")}>
          {(control) => (
            <div className="flex gap-2">
              <Select
                label="Type of reference"
                disabled={frozen}
                value={refType}
                choices={(["branch", "tag", "commit", "ref"] as const).map((value) => ({
                  value,
                  label: value,
                }))}
                onChange={(next) => onChange({ refType: next })}
                className="w-28! shrink-0"
              />
              <Input
                {...control}
                disabled={frozen}
                list={branches}
                value={ref}
                onChange={(event) => onChange({ ref: event.target.value })}
              />
              <BranchChoices id={branches} repository={repository} />
            </div>
          )}
        </Field>
        <TextField
          label="Directory"
          aside="optional"
          error={fault("mount_path")}
          disabled={frozen}
          placeholder="/data/name"
          value={mountPath}
          onChange={(text) => onChange({ mountPath: text })}
        />
      </div>
      {clone !== null && (
        <Clone
          clone={clone}
          isConnected={connectionId !== null}
          hasSecret={secret !== ""}
          onTryAgain={onTryAgain}
        />
      )}
    </div>
  );
}

/** Scrolls to an element, so that a failure is seen. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
}

function Clone({
  clone,
  isConnected,
  hasSecret,
  onTryAgain,
}: {
  clone: CloneState;
  /** Whether a connection gets the token, so that nothing is to be typed. */
  isConnected: boolean;
  hasSecret: boolean;
  onTryAgain: () => void;
}) {
  if (clone.state === "ready")
    return (
      <p role="status" className="flex items-center gap-2 text-ok">
        <Icon name="check" /> Cloned
      </p>
    );
  if (clone.state === "cloning")
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <Spinner className="text-info" /> Cloning, {clone.text}
      </p>
    );
  return (
    <div
      ref={intoView}
      role="alert"
      className="flex items-start gap-2.5 rounded-lg border border-bad/30 bg-bad-soft px-3 py-2.5"
    >
      <Icon name="alert" className="mt-0.5 text-bad" />
      <p className="min-w-0 flex-1 wrap-anywhere">{showUnseen(clone.message)}</p>
      <Button
        size="small"
        disabled={!hasSecret && !isConnected}
        onClick={onTryAgain}
        title={hasSecret || isConnected ? undefined : "Enter another token above"}
      >
        {isConnected ? "Try again" : "Try with this token"}
      </Button>
    </div>
  );
}
