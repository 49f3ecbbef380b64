import { useOwnerNames } from "../api/queries/owners.ts";
import { showUnseen } from "../format/visible-text.ts";
import { CopyId } from "./copy.tsx";
import { cx } from "./cx.ts";

/** Shows the owner of an object: the name if known, and the id to copy. */
export function Owner({ id, className }: { id: string; className?: string }) {
  const name = useOwnerNames([id])(id);
  return (
    <span className={cx("inline-flex max-w-full flex-wrap items-center gap-x-2", className)}>
      {name !== null && <span className="max-w-full truncate">{showUnseen(name)}</span>}
      <CopyId id={id} short={name !== null} />
    </span>
  );
}
