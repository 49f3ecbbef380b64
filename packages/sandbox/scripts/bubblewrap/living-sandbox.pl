# Functions for work in the mount namespaces of a running sandbox, as root, in a process of mount-helper.pl. Placed after
# system-calls.pl (@berth/linux) and before mount-snapshots.pl and unmount-snapshot.pl, which use:
#
#   namespaces_of(BWRAP, INIT)   returns the mount namespaces of bwrap, where the disk is mounted, and of process 1, after a check
#                                that the pids still belong to them
#   enter(NAMESPACE)             enters a mount namespace
#   open_at(DIRECTORY, NAME, FLAGS, RESOLVE)
#                                openat2(2); with $NO_LINKS it follows no link
#   host_directory(PATH)         returns a descriptor of the directory at a path
#   namespace(PID, KIND), slurp(PATH)
use strict;

our ($DIRECTORY, $CLOEXEC, $PATH, $NO_LINKS) = (is_arm64() ? 0x4000 : 0x10000, 0x80000, 0x200000, 0x4 | 0x2);
our ($CLONE_NEWNS, $CLONE_NEWUSER, $AT_FDCWD) = (0x20000, 0x10000000, -100);
# The process that started bwrap.
our $server = getppid();

sub slurp {
  open(my $file, "<", $_[0]) or fail("$_[0]: $!");
  local $/;
  return scalar <$file>;
}
sub open_at {
  my ($at, $path, $flags, $resolve) = @_;
  my $how = pack("Q3", $flags | $CLOEXEC, 0, $resolve);
  return system_call("openat2", $at, $path, $how, length $how);
}
sub host_directory {
  my $fd = open_at($AT_FDCWD, $_[0], $DIRECTORY | $PATH, 0);
  fail("$_[0]: $!") if $fd < 0;
  return $fd;
}
sub namespace {
  open(my $file, "<", "/proc/$_[0]/ns/$_[1]") or fail("namespace: $!");
  return $file;
}
sub enter { call("namespace", "setns", fileno $_[0], $CLONE_NEWNS) }
sub parent_of { return slurp("/proc/$_[0]/stat") =~ /.*\) \S (\d+)/s ? $1 : 0 }
sub namespaces_of {
  my ($bwrap, $init) = @_;
  my @both = (namespace($bwrap, "mnt"), namespace($init, "mnt"));
  fail("the sandbox is gone") unless parent_of($bwrap) == $server && parent_of($init) == $bwrap;
  return @both;
}
