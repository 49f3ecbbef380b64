import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { Icon, type IconName } from "./icon.tsx";

type Props = {
  icon: IconName;
  title: string;
  /** Advice on what to do next. */
  children?: ReactNode;
  /** A command that does it, to copy. */
  command?: string;
  action?: ReactNode;
};

/** Shows the empty state of a page, with advice on what to do. */
export function Empty({ icon, title, children, command, action }: Props) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <div className="mb-4 flex size-11 items-center justify-center rounded-xl border border-line bg-panel text-muted">
        <Icon name={icon} className="size-5" />
      </div>
      <h2 className="text-lg font-semibold">{title}</h2>
      {children !== undefined && <div className="mt-1 text-muted text-balance">{children}</div>}
      {action !== undefined && <div className="mt-4">{action}</div>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

type EmptyListProps = {
  icon: IconName;
  title: string;
  /** The purpose of such an object. */
  children: ReactNode;
  command: string;
  /** The label of the button that creates the first object. */
  verb: string;
  verbIcon?: IconName;
  onAdd: () => void;
};

/** Shows the empty state of a list, with a button that creates the first object. */
export function EmptyList({ verb, verbIcon = "plus", onAdd, ...rest }: EmptyListProps) {
  const add = (
    <Button look="primary" icon={verbIcon} onClick={onAdd}>
      {verb}
    </Button>
  );
  return <Empty {...rest} action={add} />;
}

/** Shows a command to copy. */
export function Command({ text }: { text: string }) {
  return (
    <div className="mt-4 flex max-w-full items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 truncate text-left font-mono text-xs">{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}
