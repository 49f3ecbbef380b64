import { useQuery } from "@tanstack/react-query";
import { whoamiQuery } from "../api/queries/whoami.ts";
import { signOut } from "../api/sign-in.ts";
import { setSignedOut } from "../api/signed-out.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuCheck, MenuItem, MenuLine } from "../ui/menu.tsx";
import { toastError } from "../ui/toast.tsx";
import { openShortcutSheet } from "./shortcut-sheet.tsx";
import { type Theme, useTheme } from "./theme.ts";

const THEMES: readonly { id: Theme; label: string }[] = [
  { id: "system", label: "Like the system" },
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
];

/** Who is signed in, the theme, and the way out. */
export function AccountMenu() {
  const [theme, setTheme] = useTheme();
  const { data } = useQuery(whoamiQuery);
  const name = data?.principal.name ?? "Account";
  const trigger = (
    <button
      type="button"
      className="flex h-10 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover data-popup-open:bg-hover"
    >
      <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text uppercase">
        {data === undefined ? <Icon name="user" className="size-3.5" /> : name.slice(0, 1)}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate leading-4">{name}</span>
        {data !== undefined && (
          <span className="block truncate text-xs text-faint">{data.organization.name}</span>
        )}
      </span>
      <Icon name="dots" className="text-faint" />
    </button>
  );
  return (
    <Menu trigger={trigger} align="start">
      {THEMES.map(({ id, label }) => (
        <MenuCheck key={id} checked={theme === id} onChange={() => setTheme(id)}>
          {label}
        </MenuCheck>
      ))}
      <MenuLine />
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

function leave(): void {
  signOut().then(
    () => setSignedOut(true),
    (error: Error) => toastError("You are still signed in", error.message),
  );
}
