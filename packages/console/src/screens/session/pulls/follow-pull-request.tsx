import type { PullRequest } from "@berth/sdk";
import { type FormEvent, useState } from "react";
import { useMutation } from "../../../api/use-mutation.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { useSave } from "../../../ui/use-save.ts";
import { useSession } from "../scope/session-context.ts";
import { FollowFields } from "./follow-fields.tsx";
import {
  boundsOf,
  boundsWords,
  type FollowBounds,
  followInput,
  followState,
  placeOf,
} from "./follow-form.ts";

type Props = {
  /** The pull request that is shown; null before there is one. */
  pull: PullRequest | null;
};

/**
 * Offers to follow a pull request until it is merged, and shows how far that is. A session follows one: nothing is
 * shown at another.
 */
export function FollowPullRequest({ pull }: Props) {
  const { session, closed } = useSession();
  const { follow } = session;
  const isOpen = pull === null || pull.state === "open" || pull.state === "draft";
  const isOn = follow !== null && follow.status !== "stopped";
  const isOther = pull !== null && follow?.followed != null && follow.followed.url !== pull.url;
  if (isOther && (isOn || !isOpen || closed)) return null;
  if (follow === null && (!isOpen || closed)) return null;
  const state = follow === null || isOther ? null : followState(follow);
  return (
    <section aria-label="Follow until merged" className="mt-2.5 border-t border-line pt-2.5">
      {isOpen && !closed ? (
        <Controls isOn={isOn} />
      ) : (
        <h3 className="text-sm text-muted">Follow until merged</h3>
      )}
      <p className="mt-1 text-xs wrap-anywhere text-muted" role="status">
        {state === null
          ? "The agent gets failed checks, requested changes and comments, until it is merged."
          : showUnseen(state)}
      </p>
      {follow?.error != null && isOn && (
        <p className="mt-1 text-xs wrap-anywhere text-warn">{showUnseen(follow.error)}</p>
      )}
    </section>
  );
}

function Controls({ isOn }: { isOn: boolean }) {
  const { session, actions } = useSession();
  const { follow } = session;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<Partial<FollowBounds>>({});
  const bounds = { ...boundsOf(follow), ...typed };
  const { save, busy, error, faultAt, forget } = useSave({
    act: () => actions.follow(followInput(bounds)),
    placeOf,
    onSaved: () => {
      setTyped({});
      setOpen(false);
    },
  });
  const stop = useMutation({ mutationFn: () => actions.follow(null) });
  const isAtField = faultAt("attempts") !== null || faultAt("cost") !== null;
  const change = (part: Partial<FollowBounds>) => setTyped({ ...typed, ...part });
  const toggle = (on: boolean) => {
    forget();
    if (on) save();
    else stop.mutate();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  const isStopped = follow?.status === "stopped";
  return (
    <form onSubmit={submit} className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <Switch checked={isOn} disabled={busy || stop.isPending} onChange={toggle}>
          Follow until merged
        </Switch>
        <Button
          size="small"
          look="quiet"
          aria-expanded={open || isAtField}
          onClick={() => setOpen(!open)}
          className="ml-auto"
        >
          {boundsWords(bounds)}
        </Button>
        {isStopped && (
          <Button size="small" type="submit" icon="repeat" busy={busy}>
            Start again
          </Button>
        )}
      </div>
      {(open || isAtField) && (
        <div className="grid gap-3 sm:grid-cols-2">
          <FollowFields bounds={bounds} change={change} faultAt={faultAt} />
          {isOn && (
            <Button type="submit" className="self-end justify-self-start" busy={busy}>
              Change bounds
            </Button>
          )}
        </div>
      )}
      <FormError error={error ?? stop.error} atField={isAtField} />
    </form>
  );
}
