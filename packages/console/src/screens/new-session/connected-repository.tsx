import type { Connection } from "@berth/sdk";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { branchesQuery, repositoriesQuery } from "../../api/queries/connections.ts";
import { TextField } from "../../ui/field.tsx";
import type { RepositoryEntry } from "./form.ts";

type Props = {
  connection: Connection;
  url: string;
  disabled: boolean;
  fault: string | null;
  onChange: (url: string) => void;
};

/** Milliseconds without a keystroke after which the host is asked. */
const PAUSE_MS = 250;

/** Offers the repositories that a connection reaches, by a part of their name. */
export function ConnectedRepository({ connection, url, disabled, fault, onChange }: Props) {
  const listId = useId();
  const [text, setText] = useState(() => nameIn(url, connection));
  const part = useSettled(text.trim());
  const { data = [], error } = useQuery({
    ...repositoriesQuery(connection.id, part),
    placeholderData: keepPreviousData,
    enabled: !disabled,
  });
  function type(next: string) {
    setText(next);
    const found = data.find(({ full_name }) => full_name.toLowerCase() === next.trim().toLowerCase());
    onChange(found?.url ?? (next.trim() === "" ? "" : `${connection.url}/${next.trim()}`));
  }
  return (
    <>
      <TextField
        label="Repository"
        className="flex-1"
        error={fault ?? error?.message}
        disabled={disabled}
        placeholder="acme/parser"
        list={listId}
        value={text}
        onChange={type}
      />
      <datalist id={listId}>
        {data.map(({ full_name }) => (
          <option key={full_name} value={full_name} />
        ))}
      </datalist>
    </>
  );
}

/** The choices of the field for a reference: the branches of a connection's repository. */
export function BranchChoices({ id, repository }: { id: string; repository: RepositoryEntry }) {
  const { connectionId, url, refType } = repository;
  const name = URL.parse(url)?.pathname.replace(/^\/+|\/+$|\.git$/g, "") ?? "";
  const isComplete = connectionId !== null && refType === "branch" && /^[^/]+(\/[^/]+)+$/.test(name);
  const settled = useSettled(name);
  const { data = [] } = useQuery({
    ...branchesQuery(connectionId ?? "", settled),
    enabled: isComplete && settled === name,
  });
  return (
    <datalist id={id}>
      {data.map((branch) => (
        <option key={branch.name} value={branch.name} />
      ))}
    </datalist>
  );
}

/** Returns the full name of a repository at the connection's host; empty for a URL elsewhere. */
function nameIn(url: string, connection: Connection): string {
  return url.startsWith(`${connection.url}/`) ? url.slice(connection.url.length + 1) : "";
}

/** Returns a value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
