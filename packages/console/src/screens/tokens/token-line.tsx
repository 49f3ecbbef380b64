import type { Token, Whoami } from "@berth/sdk";
import { useOwnerNames } from "../../api/queries/owners.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Ago, Until, useNow } from "../../ui/moment.tsx";
import { Cell, Line, lineLinkClass } from "../../ui/table.tsx";
import { describeScopes } from "./scopes.ts";
import { maskedOf, stateOf } from "./token-state.ts";

type Props = {
  token: Token;
  me: Whoami | undefined;
  index: number;
  marked: boolean;
  onOpen: () => void;
  onRevoke: () => void;
};

const ICONS: Record<Token["kind"], IconName> = { pat: "key", sat: "agent", console: "user" };

const SIGNED_IN = { token: "with a token", link: "by a link", oidc: "by the identity provider" } as const;

/** Returns how a sign-in was made; for other tokens the masked token. */
export function aboutOf(token: Token): string {
  return token.signed_in_by === null ? maskedOf(token) : `Sign-in ${SIGNED_IN[token.signed_in_by]}`;
}

export function TokenLine({ token, me, index, marked, onOpen, onRevoke }: Props) {
  const state = stateOf(token, useNow());
  const ownerName = useOwnerNames([token.owner_id]);
  const [first = "", ...more] = describeScopes(token.scopes);
  return (
    <Line index={index} marked={marked}>
      <Cell className="max-w-0 py-1.5 pl-4 sm:w-2/5">
        <span className="flex items-center gap-3">
          <Icon name={ICONS[token.kind]} className="text-faint" />
          <span className="min-w-0 flex-1">
            <span className="flex items-center gap-2">
              <button type="button" onClick={onOpen} className={`${lineLinkClass} text-left`}>
                {showUnseen(token.name)}
              </button>
              <TokenBadges token={token} me={me} />
            </span>
            <span className="block truncate text-xs text-faint">{aboutOf(token)}</span>
          </span>
        </span>
      </Cell>
      <Cell className="max-w-56 truncate text-muted max-md:hidden">
        {first}
        {more.length > 0 && <span className="text-faint"> +{more.length}</span>}
      </Cell>
      <Cell className="max-w-40 truncate text-muted max-lg:hidden">
        {token.owner_type === "organization"
          ? "The organization"
          : token.owner_id === me?.principal.id
            ? "Me"
            : (ownerName(token.owner_id) ?? token.owner_id)}
      </Cell>
      <Cell align="right" className="whitespace-nowrap text-muted max-sm:hidden">
        {token.last_used_at === null ? (
          <span className="text-faint">never</span>
        ) : (
          <Ago at={token.last_used_at} />
        )}
      </Cell>
      <Cell align="right" className="whitespace-nowrap text-muted max-sm:hidden">
        {token.expires_at === null ? (
          <span className="text-faint">never</span>
        ) : (
          <Until at={token.expires_at} />
        )}
      </Cell>
      <Cell className="pr-4">
        {state === "active" && (
          <IconButton
            icon="trash"
            label={`Revoke ${token.name}`}
            onClick={onRevoke}
            className="relative z-1 hover:text-bad"
          />
        )}
      </Cell>
    </Line>
  );
}

export function TokenBadges({ token, me }: { token: Token; me: Whoami | undefined }) {
  const state = stateOf(token, useNow());
  return (
    <>
      {token.id === me?.token_id && <Badge tone="accent">This sign-in</Badge>}
      {state === "revoked" && <Badge tone="bad">Revoked</Badge>}
      {state === "expired" && <Badge>Expired</Badge>}
    </>
  );
}
