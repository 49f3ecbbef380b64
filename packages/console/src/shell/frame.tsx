import { Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { Toasts } from "../ui/toast.tsx";
import { TooltipProvider } from "../ui/tooltip.tsx";
import { type Action, useActions } from "./actions.ts";
import { Palette } from "./palette.tsx";
import { openShortcutSheet, ShortcutSheet } from "./shortcut-sheet.tsx";
import { handleKey, useShortcuts } from "./shortcuts.ts";
import { type NavItem, Sidebar } from "./sidebar.tsx";
import { SignInOverlay } from "./sign-in-overlay.tsx";

type Props = { groups: readonly (readonly NavItem[])[]; useFound: (typed: string) => readonly Action[] };

/** What surrounds every screen: navigation, palette, shortcuts, notices, the sign-in. */
export function Frame({ groups, useFound }: Props) {
  const [searching, setSearching] = useState(false);
  const [menuOpen, setMenuOpen] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    window.addEventListener("keydown", handleKey);
    return () => window.removeEventListener("keydown", handleKey);
  }, []);
  const places = groups.flat();
  const go = (item: NavItem) => void navigate({ to: item.to });
  const toNewSession = () => void navigate({ to: "/new" });
  useShortcuts([
    { keys: "mod+k", label: "Search and actions", group: "Everywhere", run: () => setSearching(true) },
    { keys: "?", label: "This sheet", group: "Everywhere", run: openShortcutSheet },
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
  const sidebar = { groups, onSearch: () => setSearching(true) };
  return (
    <TooltipProvider delay={450}>
      <div className="isolate flex h-full">
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
        >
          To the content
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
        <main id="main" tabIndex={-1} className="relative min-w-0 flex-1 outline-none">
          <IconButton
            icon="menu"
            label="Menu"
            onClick={() => setMenuOpen(true)}
            className="absolute top-2.5 left-3 z-20 md:hidden"
          />
          <Outlet />
        </main>
      </div>
      <Palette open={searching} onClose={() => setSearching(false)} useFound={useFound} />
      <ShortcutSheet />
      <SignInOverlay />
      <Toasts />
    </TooltipProvider>
  );
}
