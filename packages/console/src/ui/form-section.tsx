import type { ReactNode } from "react";

/** Shows a section of the form: its subject at the left, its fields at the right. */
export function FormSection({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-b border-line py-6 md:grid-cols-[13rem_minmax(0,1fr)]">
      <div>
        <h2 className="font-semibold">{title}</h2>
        {about !== undefined && <p className="mt-0.5 text-xs text-balance text-faint">{about}</p>}
      </div>
      <div className="flex min-w-0 flex-col gap-4">{children}</div>
    </section>
  );
}

type Props<Value> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
};

/** Offers a choice of one of two or three values, side by side. */
export function Segments<Value extends string>({ label, value, choices, onChange }: Props<Value>) {
  return (
    <fieldset className="flex self-start rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className="h-7 rounded-md border border-transparent px-3 text-muted hover:text-ink aria-pressed:border-line aria-pressed:bg-raised aria-pressed:text-ink aria-pressed:shadow-low"
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
