import { type ConnectionOptions, connect, serviceOf } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { formatOf, printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { describeCaller } from "./describe-caller.ts";

/** Prints the caller. With the format `id`, prints the id of the token. */
export async function whoami(options: ConnectionOptions & OutputOptions): Promise<undefined> {
  const caller = await (await connect(options)).whoami.get();
  const { url, from } = await serviceOf(options);
  const result = formatOf(options) === "id" ? { id: caller.token_id } : caller;
  await printResult(result, options, () => [...describeCaller(caller), plainLine(`at ${url} (${from})`)]);
}
