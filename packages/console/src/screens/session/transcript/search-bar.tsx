import type { KeyboardEvent } from "react";
import { IconButton } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";

type Props = {
  sought: string;
  onSeek: (sought: string) => void;
  count: number;
  /** The index of the current match. */
  at: number;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
};

/** Shows the field that searches the session. */
export function SearchBar({ sought, onSeek, count, at, onStep, onClose }: Props) {
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }
  return (
    <search className="popup absolute top-2 right-4 z-20 flex h-9 items-center gap-1 pr-1 pl-2.5">
      <Icon name="search" className="text-faint" />
      <input
        autoFocus
        aria-label="Search in this session"
        placeholder="Search in this session"
        value={sought}
        onChange={(event) => onSeek(event.target.value)}
        onKeyDown={onKeyDown}
        spellCheck={false}
        className="w-48 bg-transparent px-1 outline-none"
      />
      <span aria-live="polite" className="min-w-12 text-right text-xs text-faint tabular">
        {sought.trim() === "" ? "" : count === 0 ? "none" : `${at + 1} / ${count}`}
      </span>
      <IconButton icon="arrowUp" label="Previous match" disabled={count === 0} onClick={() => onStep(-1)} />
      <IconButton icon="arrowDown" label="Next match" disabled={count === 0} onClick={() => onStep(1)} />
      <IconButton icon="cross" label="Close the search" onClick={onClose} />
    </search>
  );
}
