import { probeGroup } from "./probe.ts";

/** Sends a message on a Unix socket that carries descriptor 0. */
const IN_FLIGHT =
  'use Socket; socketpair(my $from, my $to, AF_UNIX, SOCK_STREAM, 0); my ($data, $control) = ("x", pack "Q i3 x4", 20, 1, 1, 0); my $vector = pack "P Q", $data, 1; my $message = pack "Q L x4 P Q P Q i x4", 0, 0, $vector, 1, $control, 20, 0; syscall(number(46, 211), fileno $from, $message, 0x40) >= 0';

/** Reason to skip a probe when all sandboxes run as one user and share its tables. */
export const SAME_USER = "the neighbour has the same user";

/**
 * Tables that a neighbour of another user has filled as far as it can, with a program that must still get an
 * entry.
 */
const FILLED: readonly (readonly [id: string, table: string, perl: string])[] = [
  ["inotify", "inotify instances", "syscall(number(294, 26), 0) >= 0"],
  [
    "timers",
    "POSIX timers, with the queue of pending signals",
    'my $id = pack "l", 0; syscall(number(222, 107), 1, 0, $id) >= 0',
  ],
  [
    "message_queues",
    "bytes of POSIX message queues",
    'my ($name, $size) = ("probe", pack "q8", 0, 10, 8192, (0) x 5); my $queue = syscall(number(240, 180), $name, 0102, 0600, $size); syscall(number(241, 181), $name) if $queue >= 0; $queue >= 0',
  ],
  ["files_in_flight", "files in flight over Unix sockets", IN_FLIGHT],
  [
    "pipes",
    "buffers of pipes",
    "pipe(my $from, my $to); fcntl($to, 1032, 0) >= 65536 && fcntl($to, 1031, 1 << 20)",
  ],
  [
    "shared_memory",
    "System V shared memory",
    "my $id = shmget(0, 1, 01600); shmctl($id, 0, 0) if defined $id; defined $id",
  ],
  [
    "semaphores",
    "System V semaphores",
    "my $id = semget(0, 1, 01600); semctl($id, 0, 0, 0) if defined $id; defined $id",
  ],
  [
    "messages",
    "System V message queues",
    "my $id = msgget(0, 01600); msgctl($id, 0, 0) if defined $id; defined $id",
  ],
];

const HELD_LOCKS = 30_000;

/**
 * Probes of kernel tables that all programs of the machine share, and of which one session must not take
 * another's part.
 */
export const TABLE_PROBES = probeGroup("tables", [
  ...FILLED.map(
    ([id, table, perl]) =>
      [
        `table_${id}`,
        `finds that another session has taken all ${table}`,
        "user",
        `[ -n "\${neighbour_filled-}" ] || untried "${SAME_USER}"
said=$(perl -e 'sub number { $ARGV[0] eq "x86_64" ? $_[0] : $_[1] } print +(do { ${perl} }) ? "free" : "full $!"' "$(uname -m)"); case $said in full*) breach "$said" ;; '') untried "perl is missing" ;; esac`,
      ] as const,
  ),
  [
    "table_locks",
    "holds locks on parts of files without a bound: the kernel counts their memory as nobody's",
    "user",
    `mkdir "$scratch/locks"; said=$(perl -e 'my $held = 0; for my $name (1 .. 100) { open(my $file, "+>", "$ARGV[0]/$name") or last; push @open, $file;
for (1 .. ${HELD_LOCKS / 100}) { fcntl($file, 6, pack "s s x4 q q l x4", 1, 0, 2 * $_, 1, 0) and $held++ } }
select undef, undef, undef, 8; print $held' "$scratch/locks"); rm -r "$scratch/locks"; [ "\${said:-0}" -lt ${HELD_LOCKS} ] || breach "$said are held"`,
  ],
  [
    "table_unowned_locks",
    "locks parts of a file for an open file, of which the kernel does not tell whose it is",
    "user",
    `exec 3>"$scratch/locked"; rm "$scratch/locked"; for command in 37 38; do said=$(call fcntl 3 $command hex:0100000000000000${"00".repeat(8)}01${"00".repeat(15)}); case $said in success*) breach "$said" ;; esac; done`,
  ],
  [
    "table_huge_pages",
    "takes huge pages, which the machine keeps for others",
    "user",
    `attempt memfd_create probe 4; attempt mmap 0 2097152 3 0x44022 -1 0`,
  ],
  ["table_fanotify", "creates a fanotify group", "user", `attempt fanotify_init 0x200 0`],
  [
    "table_breakpoints",
    "takes part in the breakpoints of the kernel",
    { never: "the kernel ends a caller that it did not send there" },
    `[ "$(uname -m)" = x86_64 ] || untried "only x86_64 has it"; for number in 335 336; do if perl -e 'exit !(syscall($ARGV[0] + 0) >= 0)' $number; then breach "system call $number succeeded"; fi; done`,
  ],
  [
    "table_connections",
    "has its connections tracked in the table of the machine",
    { never: "a machine may track none" },
    `perl -MSocket -e 'for (1 .. 20) { socket(S, AF_INET, SOCK_DGRAM, 0) && send(S, "x", 0, pack_sockaddr_in(9, INADDR_LOOPBACK)) }'; for file in /proc/sys/net/netfilter/nf_conntrack_count /proc/sys/net/nf_conntrack_count; do [ ! -r "$file" ] || [ "$(cat "$file")" -eq 0 ] || breach "$(cat "$file") are tracked"; done; found=$(head -n 1 /proc/net/nf_conntrack); [ -z "$found" ] || breach "$found"`,
  ],
]);
