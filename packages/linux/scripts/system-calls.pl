# The first part of Berth's Perl programs that make system calls. perlProgram() (packages/linux/src/perl-program.ts) puts it
# before each of them, so that they can use:
#
#   system_call(NAME, ARGUMENT...)  makes the system call; returns its result, or -1 with the error in $!
#   call(WHAT, NAME, ARGUMENT...)   the same, but ends the program with "WHAT: error" when the call fails
#   fail(TEXT)                      ends the program: TEXT to standard error, exit status $status
#   $status                         exit status of fail(), 125 unless the program sets it ("our $status")
#   is_arm64()                      true on aarch64, false on x86_64
#
# Arguments are copied: a system call cannot hand anything back through them.
use strict;

our $status = 125;

# Numbers on x86_64 and on aarch64. perl-program.test.ts compares them with those of the system call filter.
my %NUMBERS = (
  capset            => [126, 91],
  close             => [3,   57],
  fsconfig          => [431, 431],
  fsmount           => [432, 432],
  fsopen            => [430, 430],
  mkdirat           => [258, 34],
  mknodat           => [259, 33],
  mount             => [165, 40],
  mount_setattr     => [442, 442],
  move_mount        => [429, 429],
  open_tree         => [428, 428],
  openat2           => [437, 437],
  prlimit64         => [302, 261],
  renameat2         => [316, 276],
  sched_setaffinity => [203, 122],
  setgroups         => [116, 159],
  setns             => [308, 268],
  setresgid         => [119, 149],
  setresuid         => [117, 147],
  umount2           => [166, 39],
  unlinkat          => [263, 35],
  unshare           => [272, 97],
);

sub fail {
  print STDERR "$_[0]\n";
  exit $status;
}

# The machine in the ELF header of the running perl.
my $MACHINE = do {
  open(my $self, "<", "/proc/self/exe") or fail("/proc/self/exe: $!");
  sysread($self, my $header, 20) // fail("/proc/self/exe: $!");
  unpack("x18 S", $header);
};
fail("not an x86_64 or aarch64 machine") unless $MACHINE == 62 || $MACHINE == 183;

sub is_arm64 { return $MACHINE == 183 }

sub system_call {
  my ($name, @arguments) = @_;
  my $numbers = $NUMBERS{$name} // fail("no number is known for the system call $name");
  return syscall($numbers->[is_arm64() ? 1 : 0], @arguments);
}

sub call {
  my ($what, $name, @arguments) = @_;
  my $result = system_call($name, @arguments);
  fail("$what: $!") if $result < 0;
  return $result;
}
