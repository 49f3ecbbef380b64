import type { Token, Whoami } from "@berth/sdk";
import { useEffect, useState } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { formatPlural } from "../../format/numbers.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { toast } from "../../ui/toast.tsx";
import { revokedWith } from "./token-state.ts";

type Props = {
  /** The token to revoke; null while the dialog is closed. */
  token: Token | null;
  tokens: readonly Token[];
  me: Whoami | undefined;
  onClose: () => void;
};

/** Asks before a token is revoked, and lists the tokens that are revoked with it. */
export function RevokeToken({ token, tokens, me, onClose }: Props) {
  // The token stays shown while the dialog closes.
  const [asked, setAsked] = useState(token);
  useEffect(() => {
    if (token !== null) setAsked(token);
  }, [token]);
  const others = asked === null ? [] : revokedWith(asked.id, tokens);
  const gone = asked === null ? [] : [asked, ...others].map(({ id }) => id);
  return (
    <Confirm
      open={token !== null}
      onClose={onClose}
      title={`Revoke ${asked?.name ?? "the token"}?`}
      verb="Revoke"
      danger
      act={async () => {
        if (asked === null) return;
        const { revoked_descendants } = await berth.tokens.delete(asked.id);
        void queryClient.invalidateQueries({ queryKey: ["tokens"] });
        const count = revoked_descendants.length;
        toast(
          "The token is revoked",
          count === 0 ? undefined : `With ${formatPlural(count, "token")} that were created with it.`,
        );
      }}
    >
      <p>Programs that use it are refused from their next request on. This cannot be undone.</p>
      {others.length > 0 && (
        <>
          <p className="mt-2">These were created with it and are revoked too:</p>
          <ul className="mt-1 list-disc pl-5 text-ink">
            {others.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </>
      )}
      {me !== undefined && gone.includes(me.token_id) && (
        <p className="mt-2 font-medium text-warn">
          You are signed in with it: this page will ask you to sign in.
        </p>
      )}
    </Confirm>
  );
}
