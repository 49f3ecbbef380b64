import { useState } from "react";
import { useMutation } from "../../../api/use-mutation.ts";
import { budgetTyped } from "../../../format/money.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useSession } from "./session-context.ts";

/** Changes the session's budget. A session that reached its budget continues by itself. */
export function BudgetForm() {
  const { session, actions } = useSession();
  const [dollars, setDollars] = useState("");
  const changing = useMutation({
    mutationFn: () => actions.setBudget(budgetTyped(dollars)),
    onSuccess: () => setDollars(""),
  });
  if (session.budget === null) return null;
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        changing.mutate();
      }}
    >
      <TextField
        label="New budget in dollars"
        error={changing.error?.message ?? null}
        inputMode="decimal"
        placeholder={`${Number(session.budget.max_list_cost.amount) / 50}`}
        value={dollars}
        onChange={setDollars}
      />
      <Button type="submit" busy={changing.isPending} disabled={dollars.trim() === ""}>
        Change budget
      </Button>
    </form>
  );
}
