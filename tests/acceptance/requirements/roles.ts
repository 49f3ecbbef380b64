import type { Requirement } from "./requirement.ts";

/** Rules for services with one of the roles. */
export const roleRequirements: readonly Requirement[] = [
  {
    id: "role-api",
    source: "seed 8",
    rule: "berth serve --role api serves the whole API without root, sandboxes and a process for sessions: sessions run in other services of the database, whose results, outputs and disks it shows. Its health says which services there are, and no_runner while none of them runs sessions; /readyz says whether it takes requests.",
  },
  {
    id: "role-runner",
    source: "seed 8",
    rule: "berth serve --role runner runs sessions in a supervised process, and listens for /livez, /readyz and /metrics alone. /readyz is 503 also while the database does not hear of it (heartbeat). Killed, its sessions are taken over as those of any service; drained or stopped, it hands them over.",
  },
  {
    id: "runner-queue",
    source: "seed 8",
    rule: "berth_due_seconds of every api and runner says how long the first session has waited for a runner, also when none is there or the one that had it died: it rises until one takes the session and is 0 when none waits. Sessions that wait until another turn of their owner ends are not counted, since no further runner would take them.",
  },
  {
    id: "role-egress",
    source: "seed 8",
    rule: "berth serve --role egress is the network of sandboxes on other hosts: it takes the tunnels of their sidecars, without root, and listens for /livez, /readyz and /metrics besides. It runs no sessions and has no API.",
  },
  {
    id: "role-settings",
    source: "seed 8",
    rule: "A role without a database or a place for contents that other services have too, and every other wrong setting of a role, is refused at the start with one sentence and exit code 2.",
  },
  {
    id: "rates-over-services",
    source: "seed 8",
    rule: "A rate of requests is that of all services of the database together, within seconds of the start or the end of one: each lets through its part.",
  },
  {
    id: "database-pooler",
    source: "seed 8",
    rule: "Behind a pooler that keeps a connection of the server for each client, a service runs as without, with a URL around it; a pooler that does not, a missing URL around it and one that leads to another database are refused with one sentence and exit code 2.",
  },
  {
    id: "database-standby",
    source: "seed 8",
    rule: "The URL of the database may name several servers, as libpq has it: every connection is made to the one that accepts writes. Where none does, a start ends with exit code 1 and one sentence that says of each why: away, a standby, or read-only.",
  },
  {
    id: "database-failover",
    source: "seed 8",
    rule: "While services are killed, PostgreSQL is restarted and its standby takes its place, nothing that was acknowledged is lost, doubled or out of order, and each turn ends; services that run find the new primary by themselves. A standby has what was acknowledged if commits wait for it (synchronous_standby_names).",
  },
  {
    id: "database-connections",
    source: "seed 8",
    rule: "Each process has at most BERTH_DATABASE_POOL connections to the database and one that listens.",
  },
];
