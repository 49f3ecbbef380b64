import { useQuery } from "@tanstack/react-query";
import { CatchBoundary, lazyRouteComponent, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { whoamiQuery } from "../api/queries/whoami.ts";
import { isSignedOut, onSignedOutChange } from "../api/signed-out.ts";
import { IconButton } from "../ui/button.tsx";
import { Toasts, toastError } from "../ui/toast.tsx";
import { TooltipProvider } from "../ui/tooltip.tsx";
import { type Action, useActions } from "./actions.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { openShortcutSheet, useShortcutSheetOpen } from "./shortcut-sheet-state.ts";
import { handleKey, useShortcuts } from "./shortcuts.ts";
import { type NavItem, Sidebar } from "./sidebar.tsx";
import { beginTypeAhead, takeTypeAhead } from "./type-ahead.ts";

/** Loaded after the first screen. If a part fails to load, the page is reloaded once, as for screens. */
const Palette = lazyRouteComponent(() => import("./palette.tsx"), "Palette");
const ShortcutSheet = lazyRouteComponent(() => import("./shortcut-sheet.tsx"), "ShortcutSheet");
const SignInOverlay = lazyRouteComponent(() => import("./sign-in-overlay.tsx"), "SignInOverlay");

type Props = { groups: readonly (readonly NavItem[])[]; useFound: (typed: string) => readonly Action[] };

/** Shows the frame around every screen: navigation, palette, shortcuts, notices, sign-in. */
export function Frame({ groups: all, useFound }: Props) {
  const isAdmin = useQuery(whoamiQuery).data?.role === "admin";
  const groups = all.map((group) => group.filter(({ forAdmins }) => isAdmin || !forAdmins));
  const [searching, setSearching] = useState(false);
  const [menuOpen, setMenuOpen] = useState(false);
  const navigate = useNavigate();
  const isSheetOpen = useShortcutSheetOpen();
  const signedOut = useSyncExternalStore(onSignedOutChange, isSignedOut);
  // The page that signs in by a link reports a rejected link itself.
  const signsIn = useLocation({ select: ({ pathname }) => pathname.endsWith("/sign-in") });
  useEffect(() => {
    window.addEventListener("keydown", handleKey);
    return () => window.removeEventListener("keydown", handleKey);
  }, []);
  const places = groups.flat();
  const go = (item: NavItem) => void navigate({ to: item.to });
  const search = () => {
    if (!searching) beginTypeAhead();
    setSearching(true);
  };
  const endSearch = () => {
    takeTypeAhead();
    setSearching(false);
  };
  const toNewSession = () => void navigate({ to: "/new" });
  useShortcuts([
    { keys: "mod+k", label: "Search and actions", group: "Everywhere", run: search },
    { keys: "?", label: "Keyboard shortcuts", group: "Everywhere", run: openShortcutSheet },
    { keys: "c", label: "New session", group: "Everywhere", run: toNewSession },
    ...places.map((item) => ({
      keys: `g ${item.key}`,
      label: item.label,
      group: "Go to",
      run: () => go(item),
    })),
  ]);
  useActions([
    { id: "new", label: "New session", group: "Action", icon: "plus", keys: "c", run: toNewSession },
    ...places.map(
      (item): Action => ({
        id: `go ${item.label}`,
        label: item.label,
        group: "Go to",
        icon: item.icon,
        keys: `g ${item.key}`,
        run: () => go(item),
      }),
    ),
    {
      id: "keys",
      label: "Keyboard shortcuts",
      group: "Help",
      icon: "help",
      keys: "?",
      run: openShortcutSheet,
    },
  ]);
  const sidebar = { groups, onSearch: search };
  return (
    <TooltipProvider delay={450}>
      <div className="isolate flex h-full">
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
        >
          Skip to content
        </a>
        <Sidebar {...sidebar} className="max-md:hidden" />
        {menuOpen && (
          <div className="fixed inset-0 z-30 flex md:hidden">
            <Sidebar {...sidebar} onNavigate={() => setMenuOpen(false)} className="shadow-high" />
            <button
              type="button"
              aria-label="Close the menu"
              className="flex-1 bg-black/30"
              onClick={() => setMenuOpen(false)}
            />
          </div>
        )}
        <main id="main" tabIndex={-1} className="relative flex min-w-0 flex-1 flex-col outline-none">
          <IconButton
            icon="menu"
            label="Menu"
            onClick={() => setMenuOpen(true)}
            className="absolute top-2.5 left-3 z-20 md:hidden"
          />
          <ConnectionBanner />
          <div className="min-h-0 flex-1">
            <Outlet />
          </div>
        </main>
      </div>
      <Loaded>
        <Palette open={searching} onClose={endSearch} useFound={useFound} />
      </Loaded>
      <Loaded>
        <ShortcutSheet open={isSheetOpen} />
      </Loaded>
      <Loaded>
        <SignInOverlay open={signedOut && !signsIn} />
      </Loaded>
      <Toasts />
    </TooltipProvider>
  );
}

/** Shows a part that is loaded separately. If that fails, the page works without it. */
function Loaded({ children }: { children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => ""} errorComponent={() => null} onCatch={noteMissing}>
      <Suspense>{children}</Suspense>
    </CatchBoundary>
  );
}

function noteMissing(error: unknown): void {
  takeTypeAhead();
  toastError("A part of the console could not be loaded: reload the page", String(error));
}
