import { type ComponentProps, useState } from "react";
import { IconButton } from "./button.tsx";
import { cx } from "./cx.ts";
import { Textarea } from "./field.tsx";

type Props = Omit<ComponentProps<"textarea">, "rows"> & {
  /** The number of lines, for multi-line secrets such as keys. */
  lines?: number;
};

/** Shows a field for a secret, hidden unless the user shows it. */
export function SecretInput({ lines = 1, className, ...rest }: Props) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <Textarea
        {...rest}
        rows={lines}
        autoComplete="off"
        className={cx("block resize-none pr-9 font-mono text-xs!", !shown && "masked", className)}
      />
      <IconButton
        icon={shown ? "eyeOff" : "eye"}
        label={shown ? "Hide the secret" : "Show the secret"}
        pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute top-0.5 right-0.5"
      />
    </div>
  );
}
