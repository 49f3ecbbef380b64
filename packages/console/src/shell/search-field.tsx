import { useEffect, useRef, useState } from "react";
import { Input } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { useShortcuts } from "./shortcuts.ts";

type Props = {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder: string;
  /** The longest text in characters; unlimited by default. */
  maxLength?: number | undefined;
};

/** Milliseconds to wait for the next letter before the list is filtered. */
const TYPING_MS = 150;

/** Shows a field that filters a list by text; `/` focuses it. */
export function SearchField({ value, onChange, label, placeholder, maxLength }: Props) {
  const [typed, setTyped] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const newest = useRef(onChange);
  newest.current = onChange;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => newest.current(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useShortcuts([{ keys: "/", label, group: "List", run: () => field.current?.focus() }]);
  return (
    <div className="relative mr-1 w-36 sm:w-56">
      <Icon name="search" className="absolute top-1.5 left-2 text-faint" />
      <Input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className="h-7! pl-8"
      />
    </div>
  );
}
