import type { Whoami } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { type Change, withChange } from "../../format/search.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Loaded } from "../../shell/loaded.tsx";
import { Page } from "../../shell/page.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { AdministrationSearch } from "./administration-search.ts";
import { AuditTab } from "./audit-tab.tsx";
import { ErasuresTab } from "./erasures-tab.tsx";
import { OrganizationTab } from "./organization-tab.tsx";
import { ServiceAccountsTab } from "./service-accounts-tab.tsx";
import { TokensTab } from "./tokens-tab.tsx";
import { UsersTab } from "./users-tab.tsx";

const route = getRouteApi("/administration");

/** Lets an admin manage their organization. */
export function AdministrationScreen() {
  const whoami = useQuery(whoamiQuery);
  return (
    <Loaded query={whoami} title="Administration">
      {(me) => (me.role === "admin" ? <Administration me={me} /> : <ForAdmins me={me} />)}
    </Loaded>
  );
}

/** Tells a member whom to ask. */
function ForAdmins({ me }: { me: Whoami }) {
  return (
    <Page title="Administration">
      <Empty icon="shield" title="Only admins can open this page">
        <p>
          Admins of {showUnseen(me.organization.name)} manage users, service accounts and tokens, and read the
          audit log.
        </p>
        {me.admins.length > 0 && (
          <>
            <p className="mt-2">Ask one of them:</p>
            <ul className="mt-1">
              {me.admins.map((email) => (
                <li key={email}>
                  <a href={`mailto:${email}`} className="text-accent-text hover:underline">
                    {showUnseen(email)}
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
      </Empty>
    </Page>
  );
}

function Administration({ me }: { me: Whoami }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Change<AdministrationSearch>) =>
    void navigate({ search: withChange(search, part), replace: true });
  const tab = search.tab ?? "users";
  const shown = (content: ReactNode) => <div className="h-full overflow-y-auto">{content}</div>;
  const props = { me, search, change };
  return (
    <Page
      title="Administration"
      about={<span className="truncate text-faint">{showUnseen(me.organization.name)}</span>}
      fixed
    >
      <Tabs
        label="Administration"
        className="flex-1"
        value={tab}
        onChange={(id) => void navigate({ search: id === "users" ? {} : { tab: id } })}
        tabs={[
          { id: "users", label: "Users", content: () => shown(<UsersTab {...props} />) },
          {
            id: "accounts",
            label: "Service accounts",
            content: () => shown(<ServiceAccountsTab {...props} />),
          },
          { id: "tokens", label: "Tokens", content: () => shown(<TokensTab {...props} />) },
          {
            id: "organization",
            label: "Organization",
            content: () => shown(<OrganizationTab {...props} />),
          },
          { id: "audit", label: "Audit log", content: () => shown(<AuditTab {...props} />) },
          { id: "erasures", label: "Erasures", content: () => shown(<ErasuresTab {...props} />) },
        ]}
      />
    </Page>
  );
}
