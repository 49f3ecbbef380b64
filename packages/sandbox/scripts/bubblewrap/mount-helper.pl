# Mounts and unmounts snapshots for one server. It stays running, so that a mount does not start a program. Placed after
# system-calls.pl (@berth/linux), living-sandbox.pl, mount-snapshots.pl and unmount-snapshot.pl.
#
# Reads requests from standard input, as fields that each end with a NUL: NUMBER, "mount" or "unmount", the number of arguments, and
# the arguments. Requests run side by side, each in its own process, which writes three fields to standard output: NUMBER, its exit
# status and its standard error. It uses one write, since other processes write there, too. The program ends when its standard input
# does. Lists of processes show it as berth-mounter.
use strict;

my $MAX_SECONDS = 60;
my $MAX_TEXT = 2000;
my %do = (mount => \&mount_snapshots, unmount => \&unmount_snapshot);
my ($request, $said) = (undef, "");

sub run {
  my ($act, @arguments) = @_;
  $SIG{CHLD} = "DEFAULT";
  $SIG{ALRM} = sub { fail("it took more than $MAX_SECONDS seconds") };
  alarm $MAX_SECONDS;
  local *STDERR;
  open(STDERR, ">", \$said) or exit 125;
  $act->(@arguments);
  exit 0;
}
END { syswrite STDOUT, join("", map { "$_\0" } $request, $?, substr $said, 0, $MAX_TEXT) if defined $request }

$0 = "berth-mounter";
$SIG{CHLD} = "IGNORE";
$/ = "\0";
while (defined(my $number = <STDIN>)) {
  my ($what, $count) = (scalar <STDIN>, scalar <STDIN>);
  my @arguments = map { scalar <STDIN> } 1 .. $count;
  chomp($number, $what, @arguments);
  next if fork();
  $request = $number;
  run($do{$what}, @arguments);
}
