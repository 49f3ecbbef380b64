import { memo } from "react";
import { ansiPieces } from "../format/ansi.ts";

/** Shows the output of a program, with its colours. */
export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  return ansiPieces(text).map(({ text, names, color }, index) => (
    <span
      key={index}
      className={names.length === 0 ? undefined : names.join(" ")}
      style={color === null ? undefined : { color }}
    >
      {text}
    </span>
  ));
});
