/**
 * Scenario files that are not run through the balancer, each with a need of all its scenarios that only a
 * single service meets.
 */
export const FILES: Readonly<Record<string, string>> = {
  backups: "it copies the embedded database",
  "changes-elsewhere": "it starts several services itself",
  "container-engine": "a container engine is one machine's",
  "contents-in-s3": "it starts several services itself, on a server of S3 that fails",
  "database-outage": "it stops the embedded database",
  "environment-contents": "layers are each machine's own, and it looks at one's",
  "default-model": "its command finds the service by the data directory",
  homes: "it starts several services itself",
  "package-managers": "its service has a hosts file of its own",
  "repository-setup": "snapshots are each machine's own, and it looks at one's",
  "repository-snapshots": "snapshots are each machine's own, and it looks at one's",
  "runtimes-in-containers": "a container engine is one machine's",
  saves: "it starts several services itself",
  "service-manager": "systemd hears of one service",
  "service-stop": "it stops the processes of one service",
  "service-without-database": "it starts several services itself",
  "snapshot-fairness": "snapshots are each machine's own, and it looks at one's",
  tls: "the balancer has another URL than the service, which is one of https",
  "two-services": "it starts several services itself",
  upgrades: "it migrates the embedded database",
};

/** Single scenarios of other files, by title. */
export const SCENARIOS: Readonly<Record<string, string>> = {
  "a user is erased, with a turn that runs, disks and contents; others keep theirs":
    "it looks at the disks of one machine",
  "an organization is erased, also over a restart of the service, and its name is free":
    "it restarts one service",
  "delete file: rejected while an active session mounts it; the content goes with the last file":
    "it looks at contents in a directory",
  "files in a repository: there after the clone, over a snapshot and on a new disk, and ignored by git":
    "snapshots are each machine's own, and it looks at one's",
  "git identity: by default that of the token's account; where the host does not tell it, Berth's own":
    "each process asks the git host once, and it counts that",
  "health: checks, the service, its sessions and disks": "it counts the services",
  "hosts: listed with their load, drained, and forgotten only when they are gone": "it counts the services",
  "limits: what a command shows, and a key whose request was refused":
    "each machine lets its part of a rate through, and it counts on one",
  "limits: what waits for one address, and the codes that a user tries":
    "each machine lets its part of a rate through, and it counts on one",
  "preview: its requests are counted, by class of status": "each machine counts its own",
  "log and metrics of the service: a turn has its line, with ids and numbers and nothing of its contents":
    "the metrics of turns are those of another machine",
  "more than the ceilings: refused; a session whose environment was stored with more has the ceilings":
    "an API apart does not know the size of the machines",
  "delete session: it is 404 afterwards, its disk is removed, and its streams end":
    "it looks at the disks of one machine",
  "proxy credentials: git, gh and curl work, and the container contains no token":
    "it scans the processes of one service",
  "requests: over the rate 429 with retry-after, and nobody else is slowed down":
    "each machine lets its part of a rate through, and it counts on one",
  "runner killed during a call: its changes are stored before the next call":
    "it kills a process of one service",
  "secrets rewrap: replaces the key, and the credentials still work":
    "it counts on the lock of one data directory; services of others have to be gone for 15 seconds",
  "seconds of sandboxes and bytes of disks: messages are rejected, replies and interrupts are not":
    "its address may ask once a second with a token that a machine has not seen",
  "turns at once: a further one waits, and begins when one ends":
    "its address may ask once a second with a token that a machine has not seen",
  "unknown tokens: over the rate of the client's address 429, and known tokens go on":
    "each machine lets its part of a rate through, and it counts on one",
  "vault variable: programs use a secret that the container does not contain":
    "it scans the processes of one service",
};
