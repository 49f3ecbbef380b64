import type { Requirement } from "./requirement.ts";

/** Rules for several services on one database. */
export const homeRequirements: readonly Requirement[] = [
  {
    id: "home-waits",
    source: "seed 1",
    rule: "A session with a disk is run by the service whose machine has the disk: while that is stopped, killed or restarted for less than BERTH_HOST_GRACE_SECONDS, no other service takes the session, and nothing on the disk is lost.",
  },
  {
    id: "home-rescheduled",
    source: "api 4",
    rule: "A session with work whose service is away has the status rescheduling, which one session.status_rescheduled tells; when the turn goes on, session.status_running follows.",
  },
  {
    id: "home-takeover",
    source: "seed 1",
    rule: "After that time another service continues the session with a new container, session.container_reclaimed tells that the disk is lost, and the agent is informed once.",
  },
  {
    id: "database-refused",
    source: "seed 1",
    rule: "A service whose database refuses its user or password ends with exit code 1 and one sentence; refused while it runs, it answers requests with an error that says that it cannot reach its database, tells the refusal in its log, gives database as the reason of /readyz, and goes on as soon as the database accepts it.",
  },
  {
    id: "database-walled-off",
    source: "seed 1",
    rule: "A service that gets no answer from its database closes the sandboxes of its sessions when their leases end; another service continues the sessions after the grace period and not before, and the first writes nothing more to them when the database answers again.",
  },
  {
    id: "process-identity",
    source: "seed 1",
    rule: "A process is known by its machine, its pid namespace, its pid and its start: what belongs to one in another container, on a data directory or a container engine that both use, is not taken for a dead one's, and a command there starts no second database; it ends with a sentence that says where the first runs.",
  },
  {
    id: "hosts-list",
    source: "seed 1",
    rule: "berth admin hosts list shows each service of the database with its machine's name, place, version, last sign of life, sessions, whether it is drained, and the settings in which it differs; a service that starts beside one with other settings says so in its log.",
  },
  {
    id: "hosts-gone",
    source: "seed 1",
    rule: "A service that only takes requests, or runs sessions in pods beside others, is no longer listed once it has stopped, or ten minutes after the grace period when it was killed; one with disks of its own stays listed until it is forgotten.",
  },
  {
    id: "hosts-drain",
    source: "seed 1",
    rule: "A drained service takes no new session; it saves the outputs of each session that is quiet and gives its disk up, which session.container_reclaimed tells with the reason drained, and another service continues the session. It says in its log that it drains, also when it is started so.",
  },
  {
    id: "hosts-forget",
    source: "seed 1",
    rule: "A service that is gone can be forgotten: its sessions continue elsewhere without their disks, and those that were deleted are removed; while it is there this is refused, unless it is forced.",
  },
];
