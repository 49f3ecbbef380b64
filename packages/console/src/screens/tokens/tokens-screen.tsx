import type { Token } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { useList } from "../../api/use-list.ts";
import { type Change, withChange } from "../../format/search.ts";
import { useActions } from "../../shell/actions.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/empty.tsx";
import { useNow } from "../../ui/moment.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { RevokeToken } from "./revoke-token.tsx";
import { tokenColumns } from "./token-columns.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { TokenFilters } from "./token-filters.tsx";
import { filtersOf, fits, type TokenSearch } from "./token-search.ts";

const route = getRouteApi("/tokens");

/** Milliseconds between reads of the list: the last use of a token changes with each request. */
const LIVE_MS = 10_000;
const QUERY = { limit: 100 };

/** Shows all tokens that the user may see: of people, of service accounts, and console sign-ins. */
export function TokensScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const now = useNow();
  const { data: me } = useQuery(whoamiQuery);
  const list = useList(["tokens", "list"], () => berth.tokens.list(QUERY), { live: LIVE_MS });
  const [revoked, setRevoked] = useState<Token | null>(null);
  const shown = list.items.filter((token) => fits(token, search, now));
  const change = (part: Change<TokenSearch>) =>
    void navigate({ search: withChange(search, part), replace: true });
  const openForm = () => change({ create: true });
  const toDevice = () => void navigate({ to: "/device" });
  const clear = () => void navigate({ search: {}, replace: true });
  useShortcuts([{ keys: "n", label: "New token", group: "List", run: openForm }]);
  useActions([
    { id: "device", label: "Approve a login", group: "Action", icon: "key", run: toDevice },
    { id: "new token", label: "New token", group: "Action", icon: "plus", keys: "n", run: openForm },
  ]);
  const looked = list.items.find(({ id }) => id === search.token);
  return (
    <Page
      title="Tokens"
      actions={
        <>
          <CallButton
            calls={[{ operation: operations.tokens.list }, { operation: operations.tokens.current }]}
          />
          <Link to="/device" className={cx(buttonClass("secondary", "small"), "max-sm:hidden")}>
            Approve a login
          </Link>
          <Button look="primary" size="small" icon="plus" onClick={openForm}>
            New token
          </Button>
        </>
      }
    >
      <TokenFilters search={search} tokens={list.items} me={me} change={change} onClear={clear} />
      <ObjectList
        label="Tokens"
        list={list}
        shown={shown}
        searching
        filtered={Object.keys(filtersOf(search)).length > 0}
        onClear={clear}
        onOpen={({ id }) => change({ token: id })}
        columns={tokenColumns({ me, now, onOpen: ({ id }) => change({ token: id }), onRevoke: setRevoked })}
        empty={
          <Empty icon="key" title="No active tokens" command="berth tokens create -f name=laptop">
            A token lets a program call the API as you or as a service account, within its scopes.
          </Empty>
        }
      />
      <NewTokenDialog open={search.create === true} me={me} onClose={() => change({ create: undefined })} />
      {looked !== undefined && (
        <TokenDialog
          token={looked}
          tokens={list.items}
          me={me}
          onClose={() => change({ token: undefined })}
          onOpen={(id) => change({ token: id })}
          onRevoke={() => setRevoked(looked)}
        />
      )}
      <RevokeToken token={revoked} tokens={list.items} me={me} onClose={() => setRevoked(null)} />
    </Page>
  );
}
