import { shellOperatorIn, trimCommand } from "@berth/sdk/operations";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Segments } from "../../../ui/form-section.tsx";
import type { ToolUse } from "../log/view.ts";
import { suggestPrefix } from "./suggest-prefix.ts";

type Props = {
  use: ToolUse;
  busy: boolean;
  /** Called with the beginning of the commands to allow; null for all calls of the tool. */
  onAllow: (prefix: string | null) => void;
  onBack: () => void;
};

/** Asks which later calls run without asking, and allows the waiting one with them. */
export function AllowAlways({ use, busy, onAllow, onBack }: Props) {
  const isBash = use.type === "agent.tool_use" && use.name === "Bash";
  const command = typeof use.input.command === "string" ? use.input.command : "";
  const [scope, setScope] = useState<"prefix" | "tool">(isBash ? "prefix" : "tool");
  const [prefix, setPrefix] = useState(() => suggestPrefix(command));
  const form = useRef<HTMLFormElement>(null);
  const trimmed = trimCommand(prefix);
  const operator = shellOperatorIn(trimmed);
  const error = operator === null ? undefined : `Without ${nameOf(operator)}: a command with it always asks.`;
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("input, button[type=submit]")?.focus();
  }, []);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (scope === "tool") onAllow(null);
    else if (trimmed !== "" && operator === null) onAllow(trimmed);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") onBack();
  }
  return (
    <form ref={form} onSubmit={submit} onKeyDown={onKeyDown} className="flex flex-col gap-2.5">
      {isBash && <Segments label="What to allow" value={scope} choices={SCOPES} onChange={setScope} />}
      {scope === "prefix" ? (
        <Field
          label="Always allow commands that begin with"
          hint={
            suggestPrefix(command) === ""
              ? "This command may chain others, so one like it asks again, whatever the words."
              : "Commands that may chain others, with ; & | < > ( ) or $( ), ask all the same."
          }
          error={error}
        >
          {(control) => (
            <Input
              {...control}
              className="font-mono text-xs"
              value={prefix}
              onChange={(event) => setPrefix(event.target.value)}
            />
          )}
        </Field>
      ) : (
        <p>
          All later calls of <span className="font-medium">{showUnseen(use.name)}</span> in this session run
          without asking.
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button size="small" look="quiet" onClick={onBack}>
          Back
        </Button>
        <Button
          type="submit"
          size="small"
          look="primary"
          busy={busy}
          disabled={scope === "prefix" && (trimmed === "" || operator !== null)}
        >
          Allow always
        </Button>
      </div>
    </form>
  );
}

const SCOPES = [
  { value: "prefix", label: "Some commands" },
  { value: "tool", label: "All commands" },
] as const;

function nameOf(operator: string): string {
  return operator.trim() === "" || operator < " " ? "line breaks and control characters" : operator;
}
