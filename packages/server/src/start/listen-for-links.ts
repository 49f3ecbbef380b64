import { randomBytes } from "node:crypto";
import type { AddressInfo, ListenOptions } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { PreviewLinks } from "@berth/api/app";
import { LINK_TLS, type LinkAddress } from "@berth/store/session-log";
import { ConfigError } from "../config/config-error.ts";
import { type ListenAddress, listenFailure } from "./listen-failure.ts";

/** Milliseconds in which a runner proves that it has the key. */
const HANDSHAKE_MS = 10_000;

/**
 * Accepts connections of runners for previews: from this machine by a socket without a file, and from others at
 * the address of the setting, if there is one.
 *
 * @param address Where runners on other machines find this process, or null.
 * @throws ConfigError when it cannot listen there.
 */
export async function listenForLinks(
  links: Pick<PreviewLinks, "addresses" | "keyOf" | "accepted">,
  address: ListenAddress | null,
): Promise<{ close(): Promise<void> }> {
  // A name that no program on this machine can take before.
  const name = `berth-previews-${randomBytes(12).toString("hex")}`;
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  try {
    servers.push(await listening(links, { path: `\0${name}` }));
    const addresses: LinkAddress[] = [{ name }];
    if (address !== null) {
      const server = await listening(links, address).catch((error) => {
        throw new ConfigError([listenFailure(error, address)]);
      });
      servers.push(server);
      addresses.push({ host: address.host, port: (server.address() as AddressInfo).port });
    }
    links.addresses = addresses;
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listening(
  links: Pick<PreviewLinks, "keyOf" | "accepted">,
  options: ListenOptions,
): Promise<Server> {
  const named = new WeakMap<object, string>();
  const server = createServer(
    {
      ...LINK_TLS,
      handshakeTimeout: HANDSHAKE_MS,
      pskCallback: (socket, linkId) => {
        named.set(socket, linkId);
        return links.keyOf(linkId);
      },
    },
    (socket: TLSSocket) => {
      socket.on("error", () => socket.destroy());
      links.accepted(named.get(socket) ?? "", socket);
    },
  );
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, resolve);
  });
  return server;
}
