import type { Whoami } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { whoamiQuery } from "../api/queries/whoami.ts";
import { signOut } from "../api/sign-in.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../ui/menu.tsx";
import { Until } from "../ui/moment.tsx";
import { toastError } from "../ui/toast.tsx";
import { AccountButton } from "./account-button.tsx";
import { openShortcutSheet } from "./shortcut-sheet-state.ts";
import { type Theme, useTheme } from "./theme.ts";

const THEMES: readonly { value: Theme; label: string; icon: IconName }[] = [
  { value: "system", label: "System", icon: "screen" },
  { value: "light", label: "Light", icon: "sun" },
  { value: "dark", label: "Dark", icon: "moon" },
];

/** Shows the user and their permissions, the theme, and the sign-out. */
export function AccountMenu() {
  const [theme, setTheme] = useTheme();
  const navigate = useNavigate();
  const { data: me } = useQuery(whoamiQuery);
  return (
    <Menu trigger={<AccountButton me={me} />} align="start">
      {me !== undefined && <Who me={me} />}
      <MenuChoice label="Theme" value={theme} choices={THEMES} onChange={setTheme} />
      <MenuLine />
      <MenuItem icon="key" onSelect={() => void navigate({ to: "/tokens", search: { kind: "console" } })}>
        Your sign-ins and tokens
      </MenuItem>
      {me?.role === "member" && (
        <MenuItem icon="shield" onSelect={() => void navigate({ to: "/administration" })}>
          Ask an admin
        </MenuItem>
      )}
      <MenuItem icon="help" keys="?" onSelect={openShortcutSheet}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem icon="code" onSelect={() => void window.open("/docs", "_blank", "noopener")}>
        API reference
      </MenuItem>
      <MenuLine />
      <MenuItem icon="signOut" onSelect={leave}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

const SIGNED_IN = { token: "with a token", link: "by a link", oidc: "by your organization" } as const;

function Who({ me }: { me: Whoami }) {
  const may = me.scopes.includes("*") ? "All scopes" : `${me.scopes.length} scopes`;
  return (
    <>
      <div className="max-w-72 px-2 py-1.5">
        <p className="truncate font-medium">{me.principal.name}</p>
        <p className="text-xs text-faint">
          {me.role === "admin" ? "Admin" : "Member"} of {me.organization.name}
        </p>
        <p className="mt-1.5 flex items-center gap-1.5 text-xs text-muted" title={me.scopes.join(", ")}>
          <Icon name="shield" className="size-3.5" /> {may}
        </p>
        <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
          <Icon name="clock" className="size-3.5" />
          <span>
            Signed in {SIGNED_IN[me.signed_in_by]}
            {me.expires_at !== null && (
              <>
                , ends <Until at={me.expires_at} />
              </>
            )}
          </span>
        </p>
      </div>
      <MenuLine />
    </>
  );
}

/** Signs out and clears the session storage, so that nothing read or typed is left for the next user. */
function leave(): void {
  signOut().then(
    () => {
      sessionStorage.clear();
      location.replace("/console/");
    },
    (error: Error) => toastError("You are still signed in", error.message),
  );
}
