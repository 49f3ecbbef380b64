import { type Architecture, syscallNumbers } from "./syscalls.ts";

const CALLS = `
  close setgroups setresuid setresgid capget capset mount umount2 mkdirat mknodat unlinkat renameat2 unshare prlimit64 setns
  open_tree move_mount fsopen fsconfig fsmount openat2 mount_setattr
`
  .trim()
  .split(/\s+/);

/**
 * The head of a Perl program that makes system calls: their numbers as `$NAME`, and `call(WHAT, NUMBER, ARGUMENT…)`, which answers the
 * result or ends the program with `$status` (125) and `WHAT: why` on standard error, as `fail(TEXT)` does.
 */
export function perlCalls(architecture: Architecture): string {
  const numbers = syscallNumbers(architecture);
  return `use strict;
${CALLS.map((name) => `my $${name.toUpperCase()} = ${numbers[name]};`).join(" ")}
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
