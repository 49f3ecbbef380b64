# A debugger that changes its child's call of getpid into unshare(CLONE_NEWUSER). Prints "made" when the child made that namespace, the
# number of the error when it could not, and "unchanged" when the call remained getpid.
#
# The variable "numbers" has the numbers of system calls by their names.
use POSIX ();
my %numbers = split " ", $ENV{numbers};
my ($ptrace, $getpid, $unshare) = map { 0 + $_ } @numbers{qw(ptrace getpid unshare)};
my ($TRACEME, $CONT, $SYSCALL, $GETREGSET, $SETREGSET, $GENERAL, $ARM_CALL) = (0, 7, 24, 0x4204, 0x4205, 1, 0x404);
my $CLONE_NEWUSER = 0x10000000;
my $is_arm64 = (POSIX::uname())[4] eq "aarch64";
# Positions of the call's number and of its first argument among the registers.
my ($count, $number, $first) = $is_arm64 ? (34, 8, 0) : (27, 15, 14);
sub registers { my $vector = pack "P Q", $_[2], length $_[2]; syscall($ptrace, $_[0], $child, $_[1], $vector) == 0 or exit 1 }

our $child = fork // exit 1;
if ($child == 0) {
  syscall($ptrace, $TRACEME, 0, 0, 0) == 0 or exit 1;
  kill STOP => $$;
  $! = 0;
  my $result = syscall($getpid, $CLONE_NEWUSER);
  print $result == 0 ? "made" : $result < 0 ? $! + 0 : "unchanged";
  exit;
}
waitpid $child, 0;
for (1 .. 1000) {
  syscall($ptrace, $SYSCALL, $child, 0, 0) == 0 or last;
  waitpid $child, 0;
  my $read = "\1" x (8 * $count);
  registers($GETREGSET, $GENERAL, $read);
  my @values = unpack "Q*", $read;
  next unless $values[$number] == $getpid && $values[$first] == $CLONE_NEWUSER;
  $values[$number] = $unshare;
  if ($is_arm64) { registers($SETREGSET, $ARM_CALL, pack "l", $unshare) }
  else { registers($SETREGSET, $GENERAL, pack "Q*", @values) }
  syscall($ptrace, $CONT, $child, 0, 0);
  last;
}
waitpid $child, 0;
