import { memo, useEffect, useState } from "react";
import type { Token } from "../format/line-pieces.ts";
import { showUnseen } from "../format/visible-text.ts";
import { CopyButton } from "./copy.tsx";
import { cx } from "./cx.ts";
import { highlight, languageOf } from "./highlight.ts";

/** Returns the code's tokens by line; null until they are ready. */
export function useTokens(code: string, nameOrPath: string): Token[][] | null {
  const [tokens, setTokens] = useState<{ code: string; lines: Token[][] | null } | null>(null);
  const language = languageOf(nameOrPath);
  useEffect(() => {
    if (language === null) return;
    let current = true;
    highlight(code, language).then(
      (lines) => current && setTokens({ code, lines }),
      () => undefined, // The code stays plain.
    );
    return () => {
      current = false;
    };
  }, [code, language]);
  return tokens?.code === code ? tokens.lines : null;
}

type Props = {
  code: string;
  /** A language's name, or a file's path. */
  language: string;
  numbered?: boolean;
  /** Wraps long lines instead of scrolling. */
  wraps?: boolean;
  className?: string;
};

/** Shows code with syntax colours, which appear once the language has loaded. */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
  numbered = false,
  wraps = false,
  className,
}: Props) {
  const shown = showUnseen(code);
  const tokens = useTokens(shown, language);
  const lines = tokens ?? shown.split("\n").map((text): Token[] => [{ text, name: null }]);
  return (
    <div className={cx("group/code relative rounded-md border border-line bg-sunken", className)}>
      <CopyButton
        text={code}
        label="Copy the code"
        className="absolute top-1 right-1 z-10 bg-sunken opacity-0 group-hover/code:opacity-100 focus-visible:opacity-100"
      />
      <pre tabIndex={0} className="overflow-x-auto py-2 font-mono text-xs leading-5">
        <code className={cx("grid min-w-full", !wraps && "w-max")}>
          {lines.map((line, index) => (
            <span key={index} className="flex px-3">
              {numbered && (
                <span className="mr-3 w-8 shrink-0 text-right text-faint select-none">{index + 1}</span>
              )}
              <span className={wraps ? "min-w-0 whitespace-pre-wrap wrap-anywhere" : "whitespace-pre"}>
                <Tokens line={line} />
                {"\n"}
              </span>
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
});

export function Tokens({ line }: { line: readonly Token[] }) {
  return line.map(({ text, name }, index) => (
    <span key={index} className={name === null ? undefined : `syntax-${name}`}>
      {text}
    </span>
  ));
}
