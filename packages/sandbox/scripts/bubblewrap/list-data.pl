# Lists the data extents of a sparse file.
#
# $ARGV[0]: the file. Output: a line "OFFSET LENGTH" for each extent between holes.
use strict;

my ($SEEK_DATA, $SEEK_HOLE) = (3, 4);
open(my $file, "<", $ARGV[0]) or die "$!\n";
my $hole = 0;
while (defined(my $data = sysseek($file, $hole, $SEEK_DATA))) {
  $hole = sysseek($file, $data, $SEEK_HOLE) // die "$!\n";
  print $data + 0, " ", $hole - $data, "\n";
}
