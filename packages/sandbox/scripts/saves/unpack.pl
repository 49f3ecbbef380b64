# Unpacks from standard input what pack.pl wrote. The agent may have tampered with it, so this runs as the user of a sandbox on the disk of
# that sandbox, where it can do nothing that the agent could not. Its argument is the directory to unpack into, which is made if it is
# missing.
#
# Exit status: 0; 60 when some files could not be unpacked; 61 when the input is no such archive.
use strict;
use File::Path;

my ($PARTIAL, $DAMAGED) = (60, 61);
my ($root) = @ARGV;
my $MAX_LINE = 64;
my $MAX_REMOVED = 1 << 28;

sub bytes {
  my ($length) = @_;
  my $read = "";
  while (length $read < $length) {
    my $count = sysread STDIN, $read, $length - length $read, length $read;
    exit $DAMAGED unless $count;
  }
  return $read;
}
my $line = "";
while (length $line < $MAX_LINE && $line !~ /\n\z/) { $line .= bytes(1) }
my ($length) = $line =~ /\Aberth-save 1 (\d{1,10})\n\z/ or exit $DAMAGED;
exit $DAMAGED if $length > $MAX_REMOVED;

my $partial = 0;
File::Path::make_path($root);
chdir $root or exit $PARTIAL;
for my $name (split /\0/, bytes($length)) {
  my $path = "./$name";
  if (-d $path && !-l $path) { File::Path::remove_tree($path, { error => \my $errors }) }
  else { unlink $path }
  $partial = 1 if -e $path || -l $path;
}
my $status = system "tar", "--extract", "--file=-", "--numeric-owner", "--no-same-owner", "--preserve-permissions",
  "--xattrs", "--xattrs-include=user.*", "--delay-directory-restore", "--warning=none";
exit($status != 0 || $partial ? $PARTIAL : 0);
