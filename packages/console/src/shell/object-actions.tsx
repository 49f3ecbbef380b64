import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Sharable } from "../api/queries/shares.ts";
import { Button, type ButtonLook, IconButton } from "../ui/button.tsx";
import { Menu, MenuItem, MenuLine } from "../ui/menu.tsx";
import { type Action, useActions } from "./actions.ts";
import { AskToEnd, type Ending } from "./ask-to-end.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { useShortcuts } from "./shortcuts.ts";

/** An action on an object, for the palette. */
export type ObjectAction = Omit<Action, "group" | "keys"> & {
  /** Whether archived objects have it too. */
  always?: boolean;
  /** Its label on a button, if it has one. */
  button?: string;
  look?: ButtonLook;
  /** Whether it is running. */
  busy?: boolean;
  /** Its label in the menu, if it is there. */
  menu?: string;
  shortcut?: { keys: string; label: string };
};

type Props = {
  item: { id: string; archived_at: string | null };
  name: string;
  /** The name of the kind, such as "Agent". */
  group: string;
  actions: readonly ObjectAction[];
  /** The noun of the API by which it is shared. */
  sharing: Sharable;
  ending: Ending;
  menuLabel?: string;
  /** Links beside the buttons, and the dialogs of the actions. */
  children?: ReactNode;
};

/** Offers the actions of an object: buttons, a menu that ends with archive and delete, palette and keys. */
export function ObjectActions(props: Props) {
  const { item, name, group, actions, sharing, ending, menuLabel = "More actions", children } = props;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"archive" | "delete" | "share" | null>(null);
  const isArchived = item.archived_at !== null;
  const offered = actions.filter(({ always = false }) => always || !isArchived);
  const canDelete = ending.calls.delete !== undefined;
  const archive = () => setAsked("archive");
  const share = () => setAsked("share");
  useActions([
    ...offered.map(({ shortcut, ...action }) => ({
      ...action,
      group,
      ...(shortcut && { keys: shortcut.keys }),
    })),
    { id: "share", label: `Share this ${ending.noun}`, group, icon: "user", run: share },
    ...(isArchived
      ? []
      : [
          {
            id: "archive",
            label: `Archive this ${ending.noun}`,
            group,
            icon: "archive" as const,
            run: archive,
          },
        ]),
    ...(canDelete
      ? [
          {
            id: "delete",
            label: `Delete this ${ending.noun}`,
            group,
            icon: "trash" as const,
            run: () => setAsked("delete"),
          },
        ]
      : []),
  ]);
  useShortcuts(offered.flatMap(({ shortcut, run }) => (shortcut ? [{ ...shortcut, group, run }] : [])));
  return (
    <>
      {offered.map(
        ({ id, button, look = "primary", busy = false, icon, run }) =>
          button !== undefined && (
            <Button key={id} size="small" look={look} icon={icon} busy={busy} onClick={run}>
              <span className="max-sm:sr-only">{button}</span>
            </Button>
          ),
      )}
      {children}
      <Menu trigger={<IconButton icon="dots" label={menuLabel} />}>
        {actions.map(
          ({ id, menu, icon, run, always = false }) =>
            menu !== undefined && (
              <MenuItem key={id} {...(icon && { icon })} disabled={isArchived && !always} onSelect={run}>
                {menu}
              </MenuItem>
            ),
        )}
        <MenuItem icon="user" onSelect={share}>
          Share…
        </MenuItem>
        <MenuLine />
        <MenuItem icon="archive" disabled={isArchived} onSelect={archive}>
          Archive…
        </MenuItem>
        {canDelete && (
          <MenuItem icon="trash" danger onSelect={() => setAsked("delete")}>
            Delete…
          </MenuItem>
        )}
      </Menu>
      <ShareDialog
        noun={sharing}
        id={item.id}
        what={ending.noun}
        open={asked === "share"}
        onClose={() => setAsked(null)}
      />
      <AskToEnd
        {...ending}
        asked={asked === "share" ? null : asked}
        onClose={() => setAsked(null)}
        id={item.id}
        name={name}
        onDeleted={() => navigate({ to: ending.list })}
      />
    </>
  );
}
