import type { Architecture } from "@berth/linux";
import { perlCalls } from "@berth/linux";

/**
 * The head of a Perl program, a child of the process that started bwrap, that works in the mount namespaces of a living sandbox:
 * `both_of(BWRAP, INIT)` answers that of bwrap, where the disk is mounted, and that of process 1, after a look that the pids are
 * still theirs; `open_at` opens a name below a directory and follows no link.
 */
export function insideCalls(architecture: Architecture): string {
  return `${perlCalls(architecture)}
alarm 60;
my $DIRECTORY = ${architecture === "x64" ? "0x10000" : "0x4000"};
my ($CLOEXEC, $PATH, $NO_LINKS) = (0x80000, 0x200000, 0x4 | 0x2);
sub slurp {
  open(my $file, "<", $_[0]) or fail("$_[0]: $!");
  local $/;
  return scalar <$file>;
}
sub open_at {
  my ($at, $path, $flags, $resolve) = @_;
  my $how = pack("Q3", $flags | $CLOEXEC, 0, $resolve);
  return syscall($OPENAT2, $at, $path, $how, length $how);
}
sub host_directory {
  my $fd = open_at($HERE, $_[0], $DIRECTORY | $PATH, 0);
  fail("$_[0]: $!") if $fd < 0;
  return $fd;
}
sub namespace {
  open(my $file, "<", "/proc/$_[0]/ns/$_[1]") or fail("namespace: $!");
  return $file;
}
sub enter { call("namespace", $SETNS, fileno $_[0], $NEWNS) }
sub parent_of { return slurp("/proc/$_[0]/stat") =~ /.*\\) \\S (\\d+)/s ? $1 : 0 }
sub both_of {
  my ($bwrap, $init) = @_;
  my @both = (namespace($bwrap, "mnt"), namespace($init, "mnt"));
  fail("the sandbox is gone") unless parent_of($bwrap) == getppid() && parent_of($init) == $bwrap;
  return @both;
}
`;
}
