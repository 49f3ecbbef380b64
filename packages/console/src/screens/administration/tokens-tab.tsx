import type { HeldToken, Whoami } from "@berth/sdk";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { formatPlural } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { hasText } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ClearFilters, FilterMenu, FilterToggle } from "../../ui/filter-menu.tsx";
import { useNow } from "../../ui/moment.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { describeScopes } from "../tokens/scopes.ts";
import { aboutOf, periodColumns, TokenBadges } from "../tokens/token-columns.tsx";
import { TokenDialog } from "../tokens/token-dialog.tsx";
import { stateOf } from "../tokens/token-state.ts";
import { ListBar } from "./list-bar.tsx";
import { refreshAdministration, useTokens, useUsers } from "./queries.ts";
import type { TabProps } from "./tab-props.ts";

/** Milliseconds between reads of the list: the last use of a token changes with each request. */
const LIVE_MS = 10_000;

/** Shows the tokens of all users and service accounts of the organization, and sign-ins to the console. */
export function TokensTab({ me, search, change }: TabProps) {
  const now = useNow();
  const list = useTokens(search.who, LIVE_MS);
  const users = useUsers();
  const [revoked, setRevoked] = useState<HeldToken | null>(null);
  const shown = list.items.filter(
    (token) =>
      (search.ended === true || stateOf(token, now) === "active") &&
      hasText([token.name, token.bearer, token.id, token.last4, ...token.scopes], search),
  );
  const filters = { ...search, tab: undefined, open: undefined };
  const isFiltered = search.q !== undefined || search.who !== undefined || search.ended === true;
  const clear = () => change({ q: undefined, who: undefined, ended: undefined });
  const opened = list.items.find(({ id }) => id === search.open);
  return (
    <>
      <ListBar
        search={search}
        change={change}
        placeholder="Name, user or scope"
        filters={
          <>
            <FilterMenu
              label="User"
              choices={users.items.map(({ id, email }) => ({ value: id, label: email }))}
              chosen={search.who}
              onChange={(who) => change({ who })}
            />
            <FilterToggle
              label="Revoked and expired"
              icon="clock"
              on={search.ended}
              onChange={(ended) => change({ ended })}
            />
            <ClearFilters filters={isFiltered ? filters : {}} onClear={clear} />
          </>
        }
      />
      <ObjectList
        label="Tokens"
        list={list}
        shown={shown}
        searching
        filtered={isFiltered}
        onClear={clear}
        onOpen={({ id }) => change({ open: id })}
        columns={columns({ me, now, onOpen: ({ id }) => change({ open: id }), onRevoke: setRevoked })}
        empty={
          <Empty
            icon="key"
            title="No active tokens"
            command="berth admin tokens create --user ada@example.com"
          >
            A token lets a program call the API as its user or service account. Open a user or a service
            account to create one.
          </Empty>
        }
      />
      {opened !== undefined && (
        <TokenDialog
          token={opened}
          tokens={list.items}
          me={me}
          onClose={() => change({ open: undefined })}
          onOpen={(open) => change({ open })}
          onRevoke={() => setRevoked(opened)}
        />
      )}
      <Confirm
        open={revoked !== null}
        onClose={() => setRevoked(null)}
        title={`Revoke ${showUnseen(revoked?.name ?? "")}?`}
        verb="Revoke"
        danger
        act={async () => {
          if (revoked === null) return;
          const { revoked_descendants: others } = await berth.admin.tokens.delete(revoked.id);
          await refreshAdministration();
          toast(
            "The token is revoked",
            others.length === 0
              ? undefined
              : `With ${formatPlural(others.length, "token")} that were created with it.`,
          );
        }}
      >
        What {showUnseen(revoked?.bearer ?? "")} uses it for is refused from the next request on, and so are
        tokens that were created with it, unless they are independent. This cannot be undone.
        {revoked?.id === me.token_id && (
          <p className="mt-2 font-medium text-warn">
            This is your sign-in: this page will ask you to sign in.
          </p>
        )}
      </Confirm>
    </>
  );
}

type Options = {
  me: Whoami;
  now: number;
  onOpen: (token: HeldToken) => void;
  onRevoke: (token: HeldToken) => void;
};

function columns({ me, now, onOpen, onRevoke }: Options): Column<HeldToken>[] {
  return [
    {
      title: "Owner",
      className: "pl-4",
      cellClass: "max-w-0 py-1.5 w-1/2 sm:w-1/3",
      cell: (token) => (
        <>
          <span className="flex items-center gap-2">
            <button type="button" onClick={() => onOpen(token)} className={`${lineLinkClass} text-left`}>
              {showUnseen(token.bearer ?? token.bearer_id)}
            </button>
            <TokenBadges token={token} me={me} />
          </span>
          <span className="block truncate text-xs text-faint">
            {token.kind === "sat" && "Service account"}
          </span>
        </>
      ),
    },
    {
      title: "Name",
      cellClass: "max-w-0 py-1.5 w-1/2 sm:w-1/3",
      cell: (token) => (
        <>
          <span className="block truncate">{showUnseen(token.name)}</span>
          <span className="block truncate text-xs text-faint">{aboutOf(token)}</span>
        </>
      ),
    },
    {
      title: "Scopes",
      className: "max-lg:hidden",
      cellClass: "max-w-56 truncate text-muted",
      cell: ({ scopes }) => {
        const [first = "", ...more] = describeScopes(scopes);
        return more.length === 0 ? first : `${first} +${more.length}`;
      },
    },
    ...periodColumns<HeldToken>("max-md:hidden"),
    {
      title: "Actions",
      untitled: true,
      className: "w-0 pr-4",
      cell: (token) =>
        stateOf(token, now) === "active" && (
          <IconButton
            icon="trash"
            label={`Revoke ${token.name} of ${token.bearer ?? token.bearer_id}`}
            onClick={() => onRevoke(token)}
            className="relative z-1 hover:text-bad"
          />
        ),
    },
  ];
}
