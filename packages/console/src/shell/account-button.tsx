import type { Whoami } from "@berth/sdk";
import type { ComponentProps } from "react";
import { Icon } from "../ui/icon.tsx";

type Props = ComponentProps<"button"> & { me?: Whoami | undefined };

/** Shows the button of the account menu, with the user's name. */
export function AccountButton({ me, ...rest }: Props) {
  const name = me?.principal.name ?? "Account";
  return (
    <button
      type="button"
      {...rest}
      className="flex h-10 w-full shrink-0 items-center gap-2 rounded-md px-2 text-left hover:bg-hover data-popup-open:bg-hover"
    >
      <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text uppercase">
        {me === undefined ? <Icon name="user" className="size-3.5" /> : name.slice(0, 1)}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate leading-4">{name}</span>
        {me !== undefined && (
          <span className="block truncate text-xs text-faint">
            {me.organization.name}
            {me.role === "admin" && " · admin"}
          </span>
        )}
      </span>
      <Icon name="dots" className="text-faint" />
    </button>
  );
}
