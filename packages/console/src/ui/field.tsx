import { type ComponentProps, type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

export const inputClass = cx(
  "w-full rounded-md border border-line-strong bg-canvas px-2.5 text-sm text-ink transition-colors",
  "hover:border-faint focus:border-focus focus:outline-2 focus:outline-offset-0 focus:outline-focus/30",
  "aria-invalid:border-bad disabled:opacity-60",
);

type FieldProps = {
  label: ReactNode;
  /** Shown below the control. */
  hint?: ReactNode;
  /** The error of the value, in the service's words. */
  error?: string | null | undefined;
  /** Shown beside the label. */
  aside?: ReactNode;
  className?: string | undefined;
  /** Receives the attributes that tie the control to its label, hint and error. */
  children: (control: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ReactNode;
};

/** Shows a control with its label, a hint and an error. */
export function Field({ label, hint, error, aside, className, children }: FieldProps) {
  const id = useId();
  const hasError = error !== null && error !== undefined;
  const described = hasError || hint !== undefined ? `${id}-about` : undefined;
  return (
    <div className={cx("flex min-w-0 flex-col gap-1.5", className)}>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="font-medium text-ink">
          {label}
        </label>
        {aside !== undefined && <span className="text-xs text-faint">{aside}</span>}
      </div>
      {children({ id, "aria-describedby": described, "aria-invalid": hasError || undefined })}
      {described !== undefined && (
        <p id={described} className={cx("text-xs", hasError ? "text-bad" : "text-faint")}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return (
    <input autoComplete="off" spellCheck={false} {...rest} className={cx(inputClass, "h-8", className)} />
  );
}

export function Textarea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea spellCheck={false} {...rest} className={cx(inputClass, "py-1.5 leading-5", className)} />;
}

type TextFieldProps<Control extends "input" | "textarea"> = Omit<FieldProps, "children"> &
  Omit<ComponentProps<Control>, "value" | "onChange" | "className"> & {
    value: string;
    onChange: (text: string) => void;
    /** The classes of the control itself; `className` is the field's. */
    controlClass?: string | undefined;
  };

/** Shows a text of one line with its label, a hint and an error. */
export function TextField(props: TextFieldProps<"input">) {
  const { label, hint, error, aside, className, controlClass, onChange, ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error} aside={aside} className={className}>
      {(control) => (
        <Input
          {...control}
          {...rest}
          onChange={(event) => onChange(event.target.value)}
          className={controlClass}
        />
      )}
    </Field>
  );
}

/** Shows a text of several lines with its label, a hint and an error. */
export function TextAreaField(props: TextFieldProps<"textarea">) {
  const { label, hint, error, aside, className, controlClass, onChange, ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error} aside={aside} className={className}>
      {(control) => (
        <Textarea
          {...control}
          {...rest}
          onChange={(event) => onChange(event.target.value)}
          className={controlClass}
        />
      )}
    </Field>
  );
}
