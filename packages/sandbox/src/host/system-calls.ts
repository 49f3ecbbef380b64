import type { Architecture } from "../seccomp/seccomp.ts";

/** Those whose numbers differ between the architectures. */
const OLD: Readonly<Record<Architecture, Readonly<Record<string, number>>>> = {
  x64: {
    CLOSE: 3,
    SETGROUPS: 116,
    SETRESUID: 117,
    SETRESGID: 119,
    CAPGET: 125,
    CAPSET: 126,
    MOUNT: 165,
    UMOUNT2: 166,
    MKDIRAT: 258,
    MKNODAT: 259,
    UNLINKAT: 263,
    UNSHARE: 272,
    PRLIMIT: 302,
    SETNS: 308,
  },
  arm64: {
    CLOSE: 57,
    SETGROUPS: 159,
    SETRESUID: 147,
    SETRESGID: 149,
    CAPGET: 90,
    CAPSET: 91,
    MOUNT: 40,
    UMOUNT2: 39,
    MKDIRAT: 34,
    MKNODAT: 33,
    UNLINKAT: 35,
    UNSHARE: 97,
    PRLIMIT: 261,
    SETNS: 268,
  },
};

/** Those that have one number everywhere. */
const NEW: Readonly<Record<string, number>> = {
  OPEN_TREE: 428,
  MOVE_MOUNT: 429,
  FSOPEN: 430,
  FSCONFIG: 431,
  FSMOUNT: 432,
  OPENAT2: 437,
  MOUNT_SETATTR: 442,
};

/**
 * The head of a Perl program that makes system calls: their numbers as `$NAME`, and `call(WHAT, NUMBER, ARGUMENT…)`, which answers the
 * result or ends the program with `$status` (125) and `WHAT: why` on standard error, as `fail(TEXT)` does.
 */
export function perlCalls(architecture: Architecture): string {
  const numbers = Object.entries({ ...OLD[architecture], ...NEW });
  return `use strict;
${numbers.map(([name, number]) => `my $${name} = ${number};`).join(" ")}
my ($NEWNS, $NEWUSER, $NEWNET, $HERE, $EMPTY) = (0x20000, 0x10000000, 0x40000000, -100, "");
my $status = 125;
sub fail {
  print STDERR "$_[0]\\n";
  exit $status;
}
sub call {
  my ($what, $number, @arguments) = @_;
  my $result = syscall($number, @arguments);
  fail("$what: $!") if $result < 0;
  return $result;
}
`;
}
