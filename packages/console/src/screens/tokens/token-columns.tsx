import type { Token, Whoami } from "@berth/sdk";
import { useOwnerNames } from "../../api/queries/owners.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Ago, Until, useNow } from "../../ui/moment.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { describeScopes } from "./scopes.ts";
import { maskedOf, stateOf } from "./token-state.ts";

type Options = {
  me: Whoami | undefined;
  now: number;
  onOpen: (token: Token) => void;
  onRevoke: (token: Token) => void;
};

const ICONS: Record<Token["kind"], IconName> = { pat: "key", sat: "agent", console: "user" };

const SIGNED_IN = { token: "with a token", link: "by a link", oidc: "by the identity provider" } as const;

/** Returns how a sign-in was made; for other tokens the masked token. */
export function aboutOf(token: Token): string {
  return token.signed_in_by === null ? maskedOf(token) : `Sign-in ${SIGNED_IN[token.signed_in_by]}`;
}

/** Returns the columns of the list of tokens. `now` is in milliseconds since 1970. */
export function tokenColumns({ me, now, onOpen, onRevoke }: Options): Column<Token>[] {
  return [
    {
      title: "Name",
      className: "pl-4",
      cellClass: "max-w-0 py-1.5 sm:w-2/5",
      cell: (token) => (
        <span className="flex items-center gap-3">
          <Icon name={ICONS[token.kind]} className="text-faint" />
          <span className="min-w-0 flex-1">
            <span className="flex items-center gap-2">
              <button type="button" onClick={() => onOpen(token)} className={`${lineLinkClass} text-left`}>
                {showUnseen(token.name)}
              </button>
              <TokenBadges token={token} me={me} />
            </span>
            <span className="block truncate text-xs text-faint">{aboutOf(token)}</span>
          </span>
        </span>
      ),
    },
    {
      title: "Scopes",
      className: "max-md:hidden",
      cellClass: "max-w-56 truncate text-muted",
      cell: ({ scopes }) => {
        const [first = "", ...more] = describeScopes(scopes);
        return (
          <>
            {first}
            {more.length > 0 && <span className="text-faint"> +{more.length}</span>}
          </>
        );
      },
    },
    {
      title: "Owner",
      className: "max-lg:hidden",
      cellClass: "max-w-40 truncate text-muted",
      cell: (token) => <OwnerName token={token} me={me} />,
    },
    ...periodColumns("max-sm:hidden"),
    {
      title: "Actions",
      untitled: true,
      className: "w-0 pr-4",
      cell: (token) =>
        stateOf(token, now) === "active" && (
          <IconButton
            icon="trash"
            label={`Revoke ${token.name}`}
            onClick={() => onRevoke(token)}
            className="relative z-1 hover:text-bad"
          />
        ),
    },
  ];
}

const NEVER = <span className="text-faint">never</span>;

/** Returns when tokens were used and when they expire. `narrow` hides the latter where there is little room. */
export function periodColumns<T extends Pick<Token, "last_used_at" | "expires_at">>(
  narrow: string,
): Column<T>[] {
  return [
    {
      title: "Last used",
      align: "right",
      className: "max-sm:hidden",
      cellClass: "whitespace-nowrap text-muted",
      cell: ({ last_used_at }) => (last_used_at === null ? NEVER : <Ago at={last_used_at} />),
    },
    {
      title: "Expires",
      align: "right",
      className: narrow,
      cellClass: "whitespace-nowrap text-muted",
      cell: ({ expires_at }) => (expires_at === null ? NEVER : <Until at={expires_at} />),
    },
  ];
}

function OwnerName({ token, me }: { token: Token; me: Whoami | undefined }) {
  const ownerName = useOwnerNames([token.owner_id]);
  if (token.owner_type === "organization") return "The organization";
  return token.owner_id === me?.principal.id ? "Me" : (ownerName(token.owner_id) ?? token.owner_id);
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
