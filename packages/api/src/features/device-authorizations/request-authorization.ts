import { type deviceAuthorizationRoutes, type Input, newUuid, type ResponseOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { fullNetwork, networkOf } from "@berth/store/limits";
import type { OpenScope } from "../../request/request-scope.ts";
import { countOpen, insertAuthorization, type NewAuthorization } from "./device-authorization-store.ts";
import { deviceCodeHash, newDeviceCode, newUserCode, userCodeHash } from "./device-codes.ts";

type Routes = typeof deviceAuthorizationRoutes;

const EXPIRES_IN = 600;
const INTERVAL = 5;
/** Maximum number of open authorizations in the installation; the next constant is for one client address. */
const MAX_OPEN = 1_000;
const MAX_OPEN_OF_ADDRESS = 50;

interface Deps {
  /** The installation's key for hashing user codes. */
  userCodeKey: Uint8Array;
  /** Public base URL of the service. Null when clients use the URL that they connect to. */
  publicUrl: string | null;
  hasConsole: boolean;
}

/**
 * Stores a request of a client without a token, for a user to decide. The codes are returned only here.
 *
 * @throws errors.tooManyLogins
 */
export async function requestAuthorization(
  { db, client, origin }: OpenScope,
  { client_name, scopes }: Input<Routes["create"]>["body"],
  { userCodeKey, publicUrl, hasConsole }: Deps,
): Promise<ResponseOf<Routes["create"]>> {
  const address = publicUrl ?? origin;
  const device_code = newDeviceCode();
  const asked = {
    device_code_hash: deviceCodeHash(device_code),
    client_name: client_name ?? null,
    client_address: client,
    client_network: networkOf(client),
    scopes,
    expires_in: EXPIRES_IN,
  };
  const user_code = await db.transaction(async (tx) => {
    const open = await countOpen(tx);
    const full = fullNetwork(open, client, MAX_OPEN_OF_ADDRESS);
    if (full !== null)
      throw errors.tooManyLogins(`client ${full.isWide ? "network" : "address"}'s`, full.most);
    if (open.reduce((sum, { count }) => sum + count, 0) >= MAX_OPEN)
      throw errors.tooManyLogins("installation's", MAX_OPEN);
    return await insertWithCode(tx, asked, userCodeKey);
  });
  return {
    type: "device_code",
    device_code,
    user_code,
    ...waysToApprove(address, user_code, hasConsole),
    expires_in: EXPIRES_IN,
    interval: INTERVAL,
  };
}

/** Describes how a user approves: in the console, if there is one, or with the command line. */
function waysToApprove(address: string, code: string, hasConsole: boolean) {
  const page = `${address}/console/device`;
  const command = `here somebody is logged in to ${address}, run: berth login approve ${code}`;
  return hasConsole
    ? { verification_uri: page, instructions: `Open ${page}?code=${code}, or w${command}` }
    : { verification_uri: address, instructions: `W${command}` };
}

/** Stores an authorization and returns its user code, which no other authorization has. */
async function insertWithCode(
  tx: Queryable,
  asked: Omit<NewAuthorization, "id" | "user_code_hash">,
  key: Uint8Array,
): Promise<string> {
  for (;;) {
    const code = newUserCode();
    const user_code_hash = userCodeHash(key, code);
    if (user_code_hash === null) throw new Error("A generated user code has the wrong form.");
    if (await insertAuthorization(tx, { ...asked, id: newUuid(), user_code_hash })) return code;
  }
}
