import { useEffect, useState } from "react";
import { cx } from "../../ui/cx.ts";
import { Input } from "../../ui/field.tsx";
import { RANGES, type UsageSearch } from "./usage-search.ts";

type Props = {
  search: UsageSearch;
  range: { from: string; to: string };
  onChange: (part: Pick<UsageSearch, "days" | "from" | "to">) => void;
};

/** Offers the range of days: a number of days until today, or a first and a last day. */
export function RangePicker({ search, range, onChange }: Props) {
  const isOwn = search.from !== undefined;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <fieldset className="flex rounded-lg border border-line bg-sunken p-0.5">
        <legend className="sr-only">Range</legend>
        {RANGES.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={!isOwn && (search.days ?? "30") === value}
            onClick={() => onChange({ days: value })}
            className="h-6 rounded-md border border-transparent px-2.5 whitespace-nowrap text-muted hover:text-ink aria-pressed:border-line aria-pressed:bg-raised aria-pressed:text-ink aria-pressed:shadow-low"
          >
            {label}
          </button>
        ))}
      </fieldset>
      <div className="flex items-center gap-1.5 text-faint">
        <DayField
          label="First day"
          value={range.from}
          own={isOwn}
          onChange={(from) => onChange({ from, to: range.to })}
        />
        –
        <DayField
          label="Last day"
          value={range.to}
          own={isOwn}
          onChange={(to) => onChange({ from: range.from, to })}
        />
      </div>
    </div>
  );
}

function DayField({
  label,
  value,
  own,
  onChange,
}: {
  label: string;
  value: string;
  own: boolean;
  onChange: (day: string) => void;
}) {
  // A date is incomplete while somebody types.
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <Input
      type="date"
      aria-label={label}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        if (event.target.value !== "") onChange(event.target.value);
      }}
      className={cx("h-7! w-36! px-2! tabular", !own && "text-muted!")}
    />
  );
}
