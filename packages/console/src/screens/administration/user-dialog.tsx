import type { User, Whoami } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { LimitsList } from "./limits-list.tsx";
import { MemberFacts } from "./member-facts.tsx";
import { NewTokenFor } from "./new-token-for.tsx";
import { limitsKey, refreshAdministration } from "./queries.ts";
import type { TabProps } from "./tab-props.ts";

type Props = { user: User; me: Whoami; onClose: () => void; change: TabProps["change"] };

/** Shows a user, and what an admin can do with them. */
export function UserDialog({ user, me, onClose, change }: Props) {
  const [asked, setAsked] = useState<"disable" | "erase" | "step down" | "token" | null>(null);
  const done = async (said: string) => {
    await refreshAdministration();
    toast(said);
  };
  const setRole = (role: User["role"]) =>
    berth.admin.users
      .update(user.id, { role })
      .then(() => done(role === "admin" ? "The user is an admin" : "The user is a member"));
  const role = useMutation<void, User["role"]>({ mutationFn: setRole });
  const enable = useMutation({
    mutationFn: () => berth.admin.users.enable(user.id).then(() => done("The user is enabled")),
  });
  const isMe = user.id === me.principal.id;
  const email = showUnseen(user.email);
  const ask = (what: typeof asked) => () => setAsked(what);
  const close = () => setAsked(null);
  const error = role.error ?? enable.error;
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        title={<span className="block truncate">{email}</span>}
        size="medium"
        actions={
          <>
            <Button icon="trash" className="mr-auto" onClick={ask("erase")}>
              Erase…
            </Button>
            {user.disabled_at === null ? (
              <>
                <Button onClick={ask("disable")}>Disable…</Button>
                <Button icon="key" onClick={ask("token")}>
                  New token
                </Button>
              </>
            ) : (
              <Button look="primary" busy={enable.isPending} onClick={() => enable.mutate()}>
                Enable
              </Button>
            )}
          </>
        }
      >
        <Facts>
          <Fact name="Role">
            <span className="flex">
              <Segments
                label="Role"
                value={user.role}
                choices={[
                  { value: "member", label: "Member" },
                  { value: "admin", label: "Admin" },
                ]}
                onChange={(next) => {
                  if (next === user.role) return;
                  if (isMe) setAsked("step down");
                  else role.mutate(next);
                }}
              />
            </span>
            <p className="mt-1 text-xs text-faint">
              {user.role === "admin"
                ? "Sees everything in the organization, and administers it."
                : "Sees what is their own and what is shared with them."}
            </p>
          </Fact>
          <Fact name="Tokens">
            <button
              type="button"
              className="text-accent-text hover:underline"
              onClick={() => change({ tab: "tokens", who: user.id, q: undefined, open: undefined })}
            >
              Show tokens and sign-ins
            </button>
          </Fact>
          <MemberFacts member={user} change={change} />
        </Facts>
        <UserLimits user={user} />
        {error !== null && <ErrorBox error={error} className="mt-4" />}
      </Dialog>
      <NewTokenFor
        bearer={asked === "token" ? { user_id: user.id, name: user.email } : null}
        me={me}
        onClose={close}
      />
      <Confirm
        open={asked === "step down"}
        onClose={close}
        title="Become a member?"
        verb="Become a member"
        danger
        act={() => setRole("member")}
      >
        You will no longer administer {showUnseen(me.organization.name)}. Only another admin can make you one
        again.
      </Confirm>
      <Confirm
        open={asked === "disable"}
        onClose={close}
        title={`Disable ${email}?`}
        verb="Disable"
        danger
        act={async () => {
          await berth.admin.users.disable(user.id);
          await done("The user is disabled");
        }}
      >
        Their tokens and sign-ins are rejected from the next request on. What they created stays. You can
        enable them again.
        {isMe && <p className="mt-2 font-medium text-warn">This is you: you will be signed out.</p>}
      </Confirm>
      <Confirm
        open={asked === "erase"}
        onClose={close}
        title={`Erase ${email}?`}
        verb="Erase"
        danger
        act={async () => {
          const { id } = await berth.admin.erasures.create({ user_id: user.id });
          await refreshAdministration();
          change({ tab: "erasures", open: id, q: undefined, who: undefined });
        }}
      >
        <p>
          Their sessions with disks and events, files, memory stores, vaults, skills, agents, environments and
          tokens are deleted, and then the user. This cannot be undone.
        </p>
        <p className="mt-2">The receipt says what was deleted, and what an erasure does not reach.</p>
        {isMe && <p className="mt-2 font-medium text-warn">This is you: you will be signed out.</p>}
      </Confirm>
    </>
  );
}

/** Shows the limits of a user, and what is used of each. */
function UserLimits({ user: { id, email } }: { user: User }) {
  const { data, error } = useQuery({
    queryKey: limitsKey(id),
    queryFn: ({ signal }) => berth.admin.limits.get(id, { signal }),
  });
  return (
    <section className="mt-5 border-t border-line pt-3">
      <h3 className="font-medium">Limits</h3>
      <p className="text-xs text-faint">
        Besides those of the organization. The operator of this installation changes them.
      </p>
      {error !== null && <ErrorBox error={error} className="mt-2" />}
      {data !== undefined && <LimitsList limits={data} whose={{ user: email }} />}
    </section>
  );
}
