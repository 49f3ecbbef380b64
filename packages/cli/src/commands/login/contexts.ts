import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { changeContexts, readContexts, requireContext } from "../../shared/contexts.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printLine } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";

/** Lists the contexts without their tokens. */
export async function listContexts(options: OutputOptions): Promise<undefined> {
  const { current, contexts } = await readContexts();
  const data = Object.entries(contexts).map(([id, { url }]) => ({ id, url, current: id === current }));
  await printResult({ data }, options, () => {
    if (data.length === 0) return [];
    const head = ["", "NAME", "URL"].map(paletteFor(process.stdout).dim);
    const rows = data.map((one) => [one.current ? "*" : "", plainLine(one.id), plainLine(one.url)]);
    return table([head, ...rows]);
  });
}

export async function showContext(options: OutputOptions): Promise<undefined> {
  const known = await readContexts();
  const { current } = known;
  if (current === null) throw new UsageError("There is no current context. Log in first: berth login URL", 1);
  const { url } = requireContext(known, current);
  await printResult({ id: current, url }, options, () => [plainLine(`${current}  ${url}`)]);
}

export async function useContext(name: string): Promise<undefined> {
  const { url } = requireContext(await readContexts(), name);
  await changeContexts((known) => {
    requireContext(known, name);
    return { ...known, current: name };
  });
  printLine(plainLine(`The current context is '${name}': ${url}`));
}

export async function removeContext(name: string, options: ConfirmOptions): Promise<undefined> {
  requireContext(await readContexts(), name);
  await confirm(`Forget the context '${plainLine(name)}' and its token?`, options);
  await forget(name);
}

/** Removes a context. If it was the current one, there is no current context afterwards. */
export async function forget(name: string): Promise<void> {
  await changeContexts(({ current, contexts }) => {
    const { [name]: _gone, ...others } = contexts;
    return { current: current === name ? null : current, contexts: others };
  });
}
