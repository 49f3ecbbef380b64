import type { Requirement } from "./requirement.ts";

/** Rules for the database schema in upgrades and rollbacks. */
export const upgradeRequirements: readonly Requirement[] = [
  {
    id: "migrate-apart",
    source: "seed 1",
    rule: "berth migrate brings the schema of the database up to date, with --dry-run it says what it would do and changes nothing, and a second time it finds nothing. With BERTH_MIGRATE=off a service does not start on an older schema, and says in one sentence what to run.",
  },
  {
    id: "upgrade-rollback",
    source: "seed 1",
    rule: "The release before runs on the schema of this one: while this one's services run beside it on one database, after them, and with all that they stored. Neither an upgrade nor taking it back loses an event, a file or a disk.",
  },
  {
    id: "rolling-upgrade",
    source: "seed 8",
    rule: "Services with roles behind a balancer can be stopped and started again one by one under load: each finishes the requests that it has, and takes none that it does not finish, so that no request fails that a client may not send again; no event, file, session or disk is lost or doubled.",
  },
];
