import { Berth } from "@berth/sdk";
import { userAgent } from "../../shared/connection.ts";
import { readContexts, requireContext } from "../../shared/contexts.ts";
import { UsageError } from "../../shared/failure.ts";
import { givenAuthorities, trustAuthorities } from "../../shared/trust-authorities.ts";
import { printLine } from "../../terminal/print.ts";
import { forget } from "./contexts.ts";

/** Logs out. A token that could not be revoked stays stored, so that the user can try again. */
export async function logout(
  given: string | undefined,
  { revoke }: { revoke?: boolean },
): Promise<undefined> {
  const known = await readContexts();
  const name = given ?? known.current;
  if (name === null) throw new UsageError("You are not logged in to any service.", 1);
  const { url, token, caFile } = requireContext(known, name);
  if (revoke) {
    await trustAuthorities(url, givenAuthorities(undefined) ?? caFile);
    const client = new Berth({ baseURL: url, token, defaultHeaders: { "user-agent": userAgent } });
    await client.tokens.delete((await client.tokens.current()).id);
  }
  await forget(name);
  const left = revoke ? "The token is revoked." : "The token itself stays valid until it is revoked.";
  printLine(`Logged out of ${url}. ${left}`);
}
