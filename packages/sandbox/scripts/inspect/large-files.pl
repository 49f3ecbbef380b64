# Finds files that take too long to compare.
#
# Arguments: MOST and TOGETHER, numbers of bytes; MARK, the id of a blob. Standard input: paths of files, relative to the working directory,
# each ended by a NUL.
#
# A regular file counts as large if it has more than MOST bytes. If the others have more than TOGETHER bytes in all, the largest of them
# count, too, until the rest has no more than that.
# Prints each large file in the format of "git update-index -z --index-info", with MARK as its content.
use strict;

my ($most, $together, $mark) = @ARGV;
binmode $_ for *STDIN, *STDOUT;
$/ = "\0";
my (@files, %seen);
while (my $path = <STDIN>) {
  chomp $path;
  next if $seen{$path}++;
  my (undef, undef, $mode, undef, undef, undef, undef, $size) = lstat $path or next;
  push @files, [$path, $size, $mode & 0100 ? "100755" : "100644"] if -f _ and $size > 0;
}
my $sum = 0;
for my $file (sort { $a->[1] <=> $b->[1] } @files) {
  my ($path, $size, $mode) = @$file;
  next if $size <= $most and ($sum += $size) <= $together;
  print "$mode $mark 0\t$path\0";
}
