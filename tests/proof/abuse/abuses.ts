/** A command that exhausts a resource of the sandbox, on purpose or by mistake. */
export interface Abuse {
  command: string;
  /** The timeout of the command in milliseconds. */
  timeout: number;
  /** A pattern for the result that the agent receives. */
  result: RegExp;
  /** Whether the abuse requires a disk limit. */
  fillsDisk?: true;
}

/** The timeout of commands that end by themselves, even on a slow machine, in milliseconds. */
const LONG_TIMEOUT_MS = 120_000;
/** The timeout of commands that never end, in milliseconds. */
const SHORT_TIMEOUT_MS = 1_500;
const STOPPED = /\[Stopped: it took longer than 1\.5 s/;
const OUT_OF_MEMORY = /\[The session ran out of memory/;
const PROCESS_LIMIT = /\[The session is at its limit of processes/;
const DISK_FULL = /No space left on device/;
const OUTPUT_OMITTED = /\[\d+ bytes left out of the middle/;

/**
 * Abuses for an environment with 64 MiB of memory, 64 processes and a disk of 64 MiB. None uses the network.
 */
export const ABUSES: Readonly<Record<string, Abuse>> = {
  "a fork bomb": {
    command: "bomb() { bomb | bomb; }; bomb",
    timeout: SHORT_TIMEOUT_MS,
    result: PROCESS_LIMIT,
  },
  "background processes up to the limit": {
    command: "sh -c 'while :; do sleep 7777 & done' 2>/dev/null; echo left",
    timeout: LONG_TIMEOUT_MS,
    result: /left[\s\S]*\[The session is at its limit of processes.*What this left running was stopped/,
  },
  "a memory bomb": {
    command: "perl -e 'while (1) { push @held, \"x\" x 1000000 }'",
    timeout: LONG_TIMEOUT_MS,
    result: OUT_OF_MEMORY,
  },
  "memory in many small processes": {
    command: "for i in $(seq 30); do perl -e '$held = \"x\" x 8000000; sleep 3' & done; wait",
    timeout: LONG_TIMEOUT_MS,
    result: OUT_OF_MEMORY,
  },
  "memory in files": {
    command: "head -c 200M /dev/zero >/dev/shm/held; perl -e '$held = \"x\" x 60000000'",
    timeout: LONG_TIMEOUT_MS,
    result: OUT_OF_MEMORY,
  },
  "a file that is read again and again": {
    command:
      "head -c 40M /dev/zero >/data/held; for i in 1 2 3 4; do cat /data/held; done | wc -c; rm /data/held",
    timeout: LONG_TIMEOUT_MS,
    result: /^167772160$/m,
    fillsDisk: true,
  },
  "a full disk": {
    command: "head -c 500M /dev/zero >/data/held",
    timeout: LONG_TIMEOUT_MS,
    result: /No space left on device[\s\S]*\[The session's disk is full/,
    fillsDisk: true,
  },
  "more files than the disk has inodes": {
    command:
      "mkdir /data/many && cd /data/many && seq 30000 | xargs touch 2>&1 | tail -n 1; cd /data; rm -rf many",
    timeout: LONG_TIMEOUT_MS,
    result: DISK_FULL,
    fillsDisk: true,
  },
  "every descriptor": {
    command: 'perl -e \'while (open my $file, "<", "/dev/null") { push @held, $file } print "$!\\n"\'',
    timeout: LONG_TIMEOUT_MS,
    result: /Too many open files/,
  },
  "the descriptors of many processes": {
    command: `for i in $(seq 40); do perl -MPOSIX -e '1 while defined POSIX::open("/dev/null"); sleep 5' & done; wait`,
    timeout: LONG_TIMEOUT_MS,
    result: OUT_OF_MEMORY,
  },
  "every pseudoterminal": {
    command:
      'perl -e \'while (open my $terminal, "+<", "/dev/ptmx") { push @held, $terminal } print scalar(@held), " $!\\n"; exit(@held > 100)\'',
    timeout: LONG_TIMEOUT_MS,
    result: /^\d\d No space left on device/,
  },
  "datagrams that nobody reads": {
    command: `perl -MSocket -e 'for (1 .. 400) { socket(my $to, AF_INET, SOCK_DGRAM, 0); setsockopt($to, SOL_SOCKET, SO_RCVBUF, 1 << 22);
bind($to, pack_sockaddr_in(0, INADDR_LOOPBACK)); socket(my $from, AF_INET, SOCK_DGRAM, 0); connect($from, getsockname $to); push @held, $to;
for (1 .. 64) { send($from, "x" x 8000, MSG_DONTWAIT) or last } }
for my $one (@held) { while (defined recv($one, my $text, 9000, MSG_DONTWAIT)) { $bytes += length $text } } print $bytes >> 20, " MiB were held\\n"'`,
    timeout: LONG_TIMEOUT_MS,
    // The kernel counts these buffers as memory, fully or in part.
    result: /^[1-6]?\d MiB were held|\[The session ran out of memory/,
  },
  "locks on parts of files": {
    command: `mkdir /tmp/locks; perl -e 'for my $name (1 .. 60) { open(my $file, "+>", "/tmp/locks/$name") or last; push @open, $file;
for (1 .. 1000) { fcntl($file, 6, pack "s s x4 q q l x4", 1, 0, 2 * $_, 1, 0) and $held++ } } print "$held are held\\n"; sleep 7777'; echo "ended by $?"; rm -r /tmp/locks`,
    timeout: LONG_TIMEOUT_MS,
    result: /ended by 137/,
  },
  "busy loops on all cores": {
    command: "for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait",
    timeout: SHORT_TIMEOUT_MS,
    result: STOPPED,
  },
  "a gigabyte of output": { command: "yes | head -c 1G", timeout: 240_000, result: OUTPUT_OMITTED },
  "a flood of stderr without a line end": {
    command: "tr '\\0' x </dev/zero | head -c 200M >&2",
    timeout: LONG_TIMEOUT_MS,
    result: OUTPUT_OMITTED,
  },
  "output from the background": {
    // Background output that arrives before the command ends belongs to its output.
    command: "(yes | head -c 100M) & (yes oops | head -c 100M) >&2 & echo started",
    timeout: LONG_TIMEOUT_MS,
    result: /started|bytes left out of the middle/,
  },
  "a daemon without variables, terminal session and descriptors": {
    command:
      "(env -i setsid sh -c 'exec <&- >&- 2>&-; trap \"\" TERM HUP; (sleep 7777 &); sleep 7777' &); echo forked",
    timeout: LONG_TIMEOUT_MS,
    result: /forked/,
  },
  "a command that ignores signals": {
    command: "trap '' TERM INT HUP QUIT; while :; do sleep 7777; done",
    timeout: SHORT_TIMEOUT_MS,
    result: STOPPED,
  },
  "a command that stops itself": { command: "kill -STOP $$", timeout: SHORT_TIMEOUT_MS, result: STOPPED },
  "a command that stops and kills every process it can": {
    command: "sleep 7777 & kill -STOP -1; kill -KILL -1 1; echo survived",
    timeout: LONG_TIMEOUT_MS,
    result: /survived/,
  },
  "a reader that never reads": { command: "yes | sleep 7777", timeout: SHORT_TIMEOUT_MS, result: STOPPED },
  "a thousand short commands": {
    command: "for i in $(seq 1000); do /bin/true; done; echo done",
    timeout: 240_000,
    result: /done/,
  },
};
