import type { Whoami } from "@berth/sdk";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { SCOPE_ROWS, type Scope } from "./scopes.ts";
import type { TokenForm } from "./token-form.ts";

type Props = {
  form: TokenForm;
  change: (part: Partial<TokenForm>) => void;
  /** The user's own scopes, which a token cannot exceed. */
  own: Whoami["scopes"] | undefined;
};

/** Offers the scopes of a token: everything, or read and write for chosen nouns. */
export function ScopeChoice({ form, change, own }: Props) {
  const mayAll = own === undefined || own.includes("*");
  const may = (scope: Scope) => mayAll || own.includes(scope);
  function toggle(scope: Scope, checked: boolean) {
    const others = form.scopes.filter((one) => one !== scope);
    change({ scopes: checked ? [...others, scope] : others });
  }
  const box = (label: string, verb: string, scope: Scope | null) =>
    scope !== null && (
      <Checkbox
        checked={form.scopes.includes(scope)}
        disabled={!may(scope)}
        onChange={(checked) => toggle(scope, checked)}
      >
        {verb}
        <span className="sr-only"> {label}</span>
      </Checkbox>
    );
  return (
    <div className="flex flex-col gap-2">
      <Segments
        label="Scopes"
        value={form.access}
        choices={[
          { value: "some", label: "Selected scopes" },
          { value: "all", label: "All of your scopes" },
        ]}
        onChange={(access) => change({ access })}
      />
      {form.access === "some" && (
        <div className="grid gap-x-6 rounded-lg border border-line bg-sunken px-3 py-1.5 sm:grid-cols-2">
          {SCOPE_ROWS.map(({ noun, label, read, write }) => (
            <div key={noun} className="grid h-8 grid-cols-[minmax(0,1fr)_4rem_4rem] items-center gap-2">
              <span className="truncate text-muted">{label}</span>
              <span>{box(label, "read", read)}</span>
              <span>{box(label, "write", write)}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
