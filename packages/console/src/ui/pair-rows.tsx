import { newKey, type Pair } from "../format/pairs.ts";
import { Button, IconButton } from "./button.tsx";
import { Input } from "./field.tsx";

type Props = {
  /** The name of one pair, in the singular. */
  noun: string;
  pairs: readonly Pair[];
  onChange: (pairs: Pair[]) => void;
  faultAt: (pair: Pair) => string | null;
  placeholder?: string;
};

/** Edits names with values, one row each. */
export function PairRows({ noun, pairs, onChange, faultAt, placeholder = "name" }: Props) {
  const set = (key: string, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...part } : pair)));
  return (
    <div className="flex flex-col gap-2">
      {pairs.map((pair) => {
        const fault = faultAt(pair);
        return (
          <div key={pair.key}>
            <div className="flex items-center gap-2">
              <Input
                aria-label={`Name of the ${noun}`}
                aria-invalid={fault !== null || undefined}
                placeholder={placeholder}
                value={pair.name}
                onChange={(event) => set(pair.key, { name: event.target.value })}
                className="w-2/5! font-mono text-xs"
              />
              <Input
                aria-label={`Value of ${pair.name || `the ${noun}`}`}
                placeholder="value"
                value={pair.value}
                onChange={(event) => set(pair.key, { value: event.target.value })}
                className="min-w-0 flex-1 font-mono text-xs"
              />
              <IconButton
                icon="cross"
                label={`Remove ${pair.name || `the ${noun}`}`}
                onClick={() => onChange(pairs.filter(({ key }) => key !== pair.key))}
              />
            </div>
            {fault !== null && <p className="mt-1 text-xs text-bad">{fault}</p>}
          </div>
        );
      })}
      <Button
        size="small"
        look="quiet"
        icon="plus"
        className="self-start"
        onClick={() => onChange([...pairs, { key: newKey(), name: "", value: "" }])}
      >
        Add a {noun}
      </Button>
    </div>
  );
}
