import { Field, TextField } from "../../../ui/field.tsx";
import { Select } from "../../../ui/select.tsx";
import type { FaultAt } from "../../../ui/use-save.ts";
import type { FollowBounds } from "./follow-form.ts";

type Props = {
  bounds: FollowBounds;
  change: (part: Partial<FollowBounds>) => void;
  faultAt: FaultAt;
};

/** Edits the bounds within which a pull request is followed. */
export function FollowFields({ bounds, change, faultAt }: Props) {
  return (
    <>
      <TextField
        label="Messages to the agent"
        hint="At most, from 1 to 100."
        error={faultAt("attempts")}
        inputMode="numeric"
        placeholder="5"
        value={bounds.attempts}
        onChange={(attempts) => change({ attempts })}
      />
      <TextField
        label="Cost of the session"
        hint="In dollars by list price. Nothing more is told from then on."
        error={faultAt("cost")}
        inputMode="decimal"
        placeholder="No bound"
        value={bounds.cost}
        onChange={(cost) => change({ cost })}
      />
      <Field label="Conflicts with its base">
        {(control) => (
          <Select
            {...control}
            value={bounds.conflicts}
            choices={[
              { value: "merge", label: "Merge the base" },
              { value: "rebase", label: "Rebase the branch" },
            ]}
            onChange={(conflicts) => change({ conflicts })}
          />
        )}
      </Field>
    </>
  );
}
