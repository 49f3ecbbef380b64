# Packs files from the disk of a sandbox, as its user. Standard input is a list with these entries, separated by NUL:
#
#   ROOT                      the directory that the names in the archive are relative to
#   place DIRECTORY ""        packs the directory with everything below it on the same filesystem
#   omit PATH ""              leaves this out
#   changes DIRECTORY BASE    packs what differs in the directory from BASE, its original content
#
# Standard output is a line "berth-save 1 LENGTH", then LENGTH bytes, then a tar archive. The bytes are the names that BASE has and
# DIRECTORY lacks or has as another type of file, each ended by a NUL; they are removed before the archive is unpacked.
#
# In an overlay a changed file is another inode with its own ctime, so a file counts as different if any of its times differs, whatever
# its content. Sockets are left out, since they belong to a process.
#
# Exit status: 0; 60 when files are missing because they could not be read; anything else when the archive is incomplete.
use strict;

my $PARTIAL = 60;
my ($DIRECTORY, $FILE, $LINK, $PIPE) = (0040000, 0100000, 0120000, 0010000);
my $precise = eval { require Time::HiRes; 1 };
my $partial = 0;

my ($root, @plan) = do { local $/; split /\0/, scalar(<STDIN>), -1 };
my $prefix = $root eq "/" ? 1 : 1 + length $root;
my (@places, @bases, %omitted);
while (@plan >= 3) {
  my ($kind, $path, $base) = splice @plan, 0, 3;
  if ($kind eq "place") { push @places, $path }
  elsif ($kind eq "omit") { $omitted{$path} = 1 }
  else { push @bases, [$path, $base] }
}

sub look {
  my @found = $precise ? Time::HiRes::lstat($_[0]) : lstat $_[0];
  return @found ? \@found : undef;
}
sub kind { return $_[0][2] & 0170000 }
sub name { return length $_[0] < $prefix ? "." : substr $_[0], $prefix }
sub is_same {
  my ($one, $other) = @_;
  return !grep { $one->[$_] != $other->[$_] } 2, 7, 9, 10;
}
# Calls TAKE with each path and its state, a directory before what is in it, and descends where that returns true.
sub walk {
  my ($top, $take) = @_;
  my $first = look($top) or return;
  my @paths = ($top);
  while (defined(my $path = pop @paths)) {
    next if $omitted{$path} && $path ne $top;
    my $state = look($path) or next;
    next unless grep { kind($state) == $_ } $DIRECTORY, $FILE, $LINK, $PIPE;
    my $descends = $take->($path, $state);
    next unless $descends && kind($state) == $DIRECTORY && $state->[0] == $first->[0];
    opendir(my $entries, $path) or do { $partial = 1; next };
    my $below = $path eq "/" ? "" : $path;
    push @paths, map { "$below/$_" } reverse sort grep { $_ ne "." && $_ ne ".." } readdir $entries;
  }
}
# tar fails for a file that it may not read, so such files are left out here.
sub can_be_read {
  my ($state) = @_;
  my $needed = kind($state) == $DIRECTORY ? 0500 : kind($state) == $FILE ? 0400 : 0;
  return 1 if ($state->[2] & $needed) == $needed;
  $partial = 1;
  return 0;
}

my (@changed, @removed);
for (@bases) {
  my ($target, $base) = @$_;
  walk($target, sub {
    my ($path, $state) = @_;
    my $before = look($base . substr $path, length $target);
    # All directories are packed, since their times have to be set again after files are made or removed in them.
    my $same = $before && kind($state) != $DIRECTORY && is_same($state, $before);
    push @changed, $path if !$same && can_be_read($state);
    return 1;
  });
  walk($base, sub {
    my ($path, $state) = @_;
    my $mine = $target . substr $path, length $base;
    my $now = look($mine);
    return 1 if $now && kind($now) == kind($state);
    push @removed, name($mine);
    return 0;
  });
}

$| = 1;
my $removed = join "", map { "$_\0" } @removed;
print "berth-save 1 " . length($removed) . "\n$removed";
open(my $tar, "|-", "tar", "--create", "--file=-", "--format=posix", "--sparse", "--numeric-owner", "--owner=0", "--group=0",
  "--xattrs", "--xattrs-include=user.*", "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
  "--directory=$root", "--no-recursion", "--null", "--verbatim-files-from", "--files-from=-") or exit 2;
$SIG{PIPE} = "IGNORE";
my $take = sub { print $tar name($_[0]), "\0" };
$take->($_) for @changed;
for my $place (@places) {
  walk($place, sub {
    $take->($_[0]) if can_be_read($_[1]);
    return 1;
  });
}
close $tar;
my $status = $? & 127 ? 2 : $? >> 8;
# tar exits with 1 when a file changed while it was read, or was removed before.
exit($status > 1 ? $status : $partial ? $PARTIAL : 0);
