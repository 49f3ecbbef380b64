import { useEffect, useState } from "react";
import type { DiffHunk, DiffLine } from "../format/diff-lines.ts";
import type { Token } from "../format/line-pieces.ts";
import { highlight, languageOf } from "./highlight.ts";

type Tokens = ReadonlyMap<DiffLine, readonly Token[]>;

const NONE: Tokens = new Map();

/** Returns the tokens of each line once the file's language has loaded; empty where the code stays plain. */
export function useDiffTokens(hunks: readonly DiffHunk[], path: string): Tokens {
  const [found, setFound] = useState<{ hunks: readonly DiffHunk[]; tokens: Tokens } | null>(null);
  const language = languageOf(path);
  useEffect(() => {
    if (language === null) return;
    let current = true;
    tokensOf(hunks, language).then(
      (tokens) => current && setFound({ hunks, tokens }),
      () => undefined, // The code stays plain.
    );
    return () => {
      current = false;
    };
  }, [hunks, language]);
  return found?.hunks === hunks ? found.tokens : NONE;
}

/** Highlights the old and the new text of each hunk separately, since a change may end inside a comment. */
async function tokensOf(hunks: readonly DiffHunk[], language: string): Promise<Tokens> {
  const tokens = new Map<DiffLine, readonly Token[]>();
  for (const { lines } of hunks) {
    for (const other of ["added", "removed"] as const) {
      const side = lines.filter(({ kind }) => kind !== other);
      const found = await highlight(side.map(({ text }) => text).join("\n"), language);
      for (const [index, line] of side.entries()) tokens.set(line, found?.[index] ?? []);
    }
  }
  return tokens;
}
