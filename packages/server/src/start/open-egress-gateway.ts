import { join } from "node:path";
import {
  makeHostsAuthority,
  makeTunnelAuthority,
  openCertificateAuthority,
  openGateway,
  placeAuthority,
  signGateway,
} from "@berth/egress";
import { RepositoryTokens } from "@berth/runs/credentials";
import { sharedAuthority, TUNNELS, tunnelGrants } from "@berth/runs/tunnels";
import type { Database } from "@berth/store/db";
import type { Redactor } from "@berth/store/log";
import { type DatabaseKeys, SecretBox } from "@berth/store/secrets";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { listenAddress } from "../config/listen-address.ts";
import { readCaCertificates } from "./ca-certificates.ts";
import { relayOptions } from "./relay-options.ts";
import { guardedFetch, providersOf } from "./repositories.ts";

export interface EgressGatewayPart {
  close(): Promise<void>;
}

export interface EgressGatewayDeps {
  config: Config;
  keys: DatabaseKeys;
  db: Database;
  log: Logger;
  redactor: Redactor;
}

const DAY_MS = 86_400_000;

/** Accepts the tunnels of sandboxes on other hosts. The database has their policies and secrets. */
export async function openEgressGateway(deps: EgressGatewayDeps): Promise<EgressGatewayPart> {
  const { config, keys, db, log, redactor } = deps;
  const secrets = new SecretBox(keys.active, { onSecret: redactor.add, formerKey: keys.former });
  const [tunnels, hosts, caCertificates] = await Promise.all([
    sharedAuthority(db.write, secrets, "tunnels", makeTunnelAuthority),
    sharedAuthority(db.write, secrets, "hosts", makeHostsAuthority),
    readCaCertificates(config),
  ]);
  const directory = join(config.dataDir, "egress-hosts-authority");
  await placeAuthority(directory, hosts);
  const authority = await openCertificateAuthority(directory, "Berth egress");
  const fetch = guardedFetch(config, caCertificates);
  const tokens = new RepositoryTokens({ db, secrets, fetch, log });
  const credentials = {
    db,
    secrets,
    providers: providersOf(config),
    repositoryVariables: () => ({}),
    tokens,
  };
  const gateway = await openGateway({
    ...(await relayOptions(config, { authority, caCertificates }, log)),
    address: listenAddress(config.egressAddress),
    tls: { authority: tunnels.certificate, ...(await signGateway(tunnels)) },
    grants: tunnelGrants(credentials),
  });
  const refresh = (ids?: string[]) =>
    void gateway.refresh(ids).catch((error: unknown) => log.debug({ err: error }, "a hint was lost"));
  const listener = await db.listen([TUNNELS], {
    onPayload: (id) => refresh([id]),
    onReconnect: () => refresh(),
  });
  const renewing = setInterval(() => {
    signGateway(tunnels).then(
      (pair) => gateway.replaceCertificate(pair),
      (error: unknown) => log.error({ err: error }, "the certificate of the gateway could not be renewed"),
    );
  }, DAY_MS).unref();
  log.info({ port: gateway.port }, "the gateway accepts tunnels");
  return {
    async close() {
      clearInterval(renewing);
      await listener.close();
      await gateway.close();
    },
  };
}
