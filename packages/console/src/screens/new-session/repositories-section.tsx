import type { Session } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { recentSessions } from "../../api/queries/sessions.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, IconButton, Spinner } from "../../ui/button.tsx";
import { Field, Input, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/select.tsx";
import { type Form, newRepository, providersIn, type RepositoryEntry, withUrl } from "./form.ts";
import type { CloneState } from "./start-session.ts";
import type { Phase } from "./use-new-session.ts";

type Props = {
  form: Form;
  change: (part: Partial<Form>) => void;
  faultAt: (field: string) => string | null;
  phase: Phase;
  onTryAgain: (key: string) => void;
};

const NO_SESSIONS: Session[] = [];

/**
 * Edits the repositories of a new session. Each is cloned before the task is sent, so that a rejected token
 * shows here.
 */
export function RepositoriesSection({ form, change, faultAt, phase, onTryAgain }: Props) {
  const { data: sessions = NO_SESSIONS } = useQuery({
    ...recentSessions,
    enabled: form.repositories.length > 0,
  });
  const providers = useMemo(() => providersIn(sessions), [sessions]);
  const set = (key: string, part: Partial<RepositoryEntry>) =>
    change({ repositories: form.repositories.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  return (
    <FormSection
      title="Repositories"
      about="Cloned into the sandbox. Tokens are sealed by the service and never shown again."
    >
      {form.repositories.map((repository) => (
        <Repository
          key={repository.key}
          repository={repository}
          providers={providers}
          fault={(field) => faultAt(`${repository.key} ${field}`)}
          clone={
            phase.step === "cloning"
              ? (phase.clones.get(repository.key) ?? { state: "cloning", text: "waiting" })
              : null
          }
          onChange={(part) => set(repository.key, part)}
          onRemove={() =>
            change({ repositories: form.repositories.filter(({ key }) => key !== repository.key) })
          }
          onTryAgain={() => onTryAgain(repository.key)}
        />
      ))}
      {phase.step !== "cloning" && (
        <Button
          icon="plus"
          className="self-start"
          onClick={() => change({ repositories: [...form.repositories, newRepository()] })}
        >
          Add a repository
        </Button>
      )}
    </FormSection>
  );
}

type RepositoryProps = {
  repository: RepositoryEntry;
  providers: ReadonlySet<string>;
  fault: (field: string) => string | null;
  clone: CloneState | null;
  onChange: (part: Partial<RepositoryEntry>) => void;
  onRemove: () => void;
  onTryAgain: () => void;
};

function Repository(props: RepositoryProps) {
  const { repository, providers, fault, clone, onChange, onRemove, onTryAgain } = props;
  const { kind, url, username, secret, ref, refType, mountPath } = repository;
  const frozen = clone !== null;
  return (
    <div className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4">
      <div className="flex items-start gap-2">
        <TextField
          label="Address"
          className="flex-1"
          error={fault("url") ?? fault("")}
          disabled={frozen}
          placeholder="https://github.com/acme/parser"
          value={url}
          onChange={(text) => onChange(withUrl(repository, text, providers))}
        />
        {!frozen && (
          <IconButton icon="trash" label="Remove this repository" onClick={onRemove} className="mt-7" />
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Kind">
          {(control) => (
            <Select
              {...control}
              disabled={frozen}
              value={kind}
              choices={[
                {
                  value: "hosted",
                  label: "At a provider",
                  about: "GitHub and the like; also for pull requests",
                },
                { value: "git", label: "Any git server", about: "By name and password" },
              ]}
              onChange={(next) => onChange({ kind: next })}
            />
          )}
        </Field>
        {kind === "git" && (
          <TextField
            label="User name"
            aside="optional"
            error={fault("username")}
            disabled={frozen}
            value={username}
            onChange={(text) => onChange({ username: text })}
          />
        )}
        <TextField
          label={kind === "hosted" ? "Token" : "Password"}
          aside="not needed for public ones"
          error={fault("secret")}
          type="password"
          autoComplete="new-password"
          value={secret}
          disabled={frozen && clone.state !== "failed"}
          onChange={(text) => onChange({ secret: text })}
        />
        <Field label="Check out" aside="default branch if empty" error={fault("checkout")}>
          {(control) => (
            <div className="flex gap-2">
              <Select
                label="Kind of reference"
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
                value={ref}
                onChange={(event) => onChange({ ref: event.target.value })}
              />
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
      {clone !== null && <Clone clone={clone} hasSecret={secret !== ""} onTryAgain={onTryAgain} />}
    </div>
  );
}

/** Scrolls to an element, so that a failure is seen. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
}

function Clone({
  clone,
  hasSecret,
  onTryAgain,
}: {
  clone: CloneState;
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
        disabled={!hasSecret}
        onClick={onTryAgain}
        title={hasSecret ? undefined : "Type another token above"}
      >
        Try with this token
      </Button>
    </div>
  );
}
