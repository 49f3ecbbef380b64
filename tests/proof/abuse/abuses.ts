/** What an agent may do to its sandbox, in bad faith or by mistake. */
export interface Abuse {
  command: string;
  /** Milliseconds after which the command is stopped, for those that never end. */
  timeout: number;
  /** What the agent is told of it. */
  tells: RegExp;
  /** It needs a disk with a limit. */
  fillsDisk?: true;
}

/** Long enough for what ends by itself on a slow machine. */
const ENDS = 120_000;
/** For what does not. */
const GOES_ON = 1_500;
const stopped = /\[Stopped: it took longer than 1\.5 s/;
const outOfMemory = /\[The session ran out of memory/;
const tooMany = /\[The session is at its limit of processes/;
const spaceGone = /No space left on device/;
const cut = /\[\d+ bytes left out of the middle/;

/** Made for an environment of 64 MiB of memory, 64 processes and a disk of 64 MiB; none takes the network. */
export const abuses: Readonly<Record<string, Abuse>> = {
  "a fork bomb": { command: "bomb() { bomb | bomb; }; bomb", timeout: GOES_ON, tells: tooMany },
  "processes that stay and take every place": {
    command: "sh -c 'while :; do sleep 7777 & done' 2>/dev/null; echo left",
    timeout: ENDS,
    tells: /left[\s\S]*\[The session is at its limit of processes.*What this left running was stopped/,
  },
  "a memory bomb": {
    command: "perl -e 'while (1) { push @held, \"x\" x 1000000 }'",
    timeout: ENDS,
    tells: outOfMemory,
  },
  "memory in many small processes": {
    command: "for i in $(seq 30); do perl -e '$held = \"x\" x 8000000; sleep 3' & done; wait",
    timeout: ENDS,
    tells: outOfMemory,
  },
  "memory in files": {
    command:
      "head -c 200M /dev/zero >/tmp/held; head -c 200M /dev/zero >/dev/shm/held; perl -e '$held = \"x\" x 40000000'",
    timeout: ENDS,
    tells: outOfMemory,
  },
  "a file that is read again and again": {
    command:
      "head -c 40M /dev/zero >/data/held; for i in 1 2 3 4; do cat /data/held; done | wc -c; rm /data/held",
    timeout: ENDS,
    tells: /^167772160$/m,
    fillsDisk: true,
  },
  "a full disk": {
    command: "head -c 500M /dev/zero >/data/held",
    timeout: ENDS,
    tells: /No space left on device[\s\S]*\[The session's disk is full/,
    fillsDisk: true,
  },
  "more files than the disk has": {
    command:
      "mkdir /data/many && cd /data/many && seq 30000 | xargs touch 2>&1 | tail -n 1; cd /data; rm -rf many",
    timeout: ENDS,
    tells: spaceGone,
    fillsDisk: true,
  },
  "every descriptor": {
    command: 'perl -e \'while (open my $file, "<", "/dev/null") { push @held, $file } print "$!\\n"\'',
    timeout: ENDS,
    tells: /Too many open files/,
  },
  "busy loops on all cores": {
    command: "for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait",
    timeout: GOES_ON,
    tells: stopped,
  },
  "a gigabyte of output": { command: "yes | head -c 1G", timeout: 240_000, tells: cut },
  "a flood of errors without an end of line": {
    command: "tr '\\0' x </dev/zero | head -c 200M >&2",
    timeout: ENDS,
    tells: cut,
  },
  "output from the background": {
    command: "(yes | head -c 100M) & (yes oops | head -c 100M) >&2 & echo started",
    timeout: ENDS,
    tells: /started/,
  },
  "a daemon without variables, session and descriptors": {
    command:
      "(env -i setsid sh -c 'exec <&- >&- 2>&-; trap \"\" TERM HUP; (sleep 7777 &); sleep 7777' &); echo forked",
    timeout: ENDS,
    tells: /forked/,
  },
  "a command that ignores signals": {
    command: "trap '' TERM INT HUP QUIT; while :; do sleep 7777; done",
    timeout: GOES_ON,
    tells: stopped,
  },
  "a command that stops itself": { command: "kill -STOP $$", timeout: GOES_ON, tells: stopped },
  "one that stops and kills all it can": {
    command: "sleep 7777 & kill -STOP -1; kill -KILL -1 1; echo survived",
    timeout: ENDS,
    tells: /survived/,
  },
  "a reader that never reads": { command: "yes | sleep 7777", timeout: GOES_ON, tells: stopped },
  "a thousand short commands": {
    command: "for i in $(seq 1000); do /bin/true; done; echo done",
    timeout: 240_000,
    tells: /done/,
  },
};
