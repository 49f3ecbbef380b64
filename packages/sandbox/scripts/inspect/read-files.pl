# Reads many small files below one directory.
#
# Argument: the directory. Standard input: "SIZE PATH" for each file, its path relative to the directory, ended by NUL.
#
# Prints for each file, in the same order, "=" and its first SIZE bytes, or "!" if it is no regular file, has fewer bytes or cannot be read.
# It never opens a pipe, device or link, even if one takes the file's place meanwhile.
use strict;
use Fcntl qw(O_RDONLY O_NOFOLLOW O_NONBLOCK);

my ($directory) = @ARGV;
binmode $_ for *STDIN, *STDOUT;
$/ = "\0";

# Reads the whole content, before any of it is printed.
sub content {
  my ($path, $size) = @_;
  sysopen(my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or return undef;
  return undef unless -f $file;
  my $bytes = "";
  while (length $bytes < $size) {
    sysread($file, $bytes, $size - length $bytes, length $bytes) or return undef;
  }
  return $bytes;
}

while (my $record = <STDIN>) {
  chomp $record;
  my ($size, $path) = $record =~ /\A(\d+) (.*)\z/s or exit 2;
  my $bytes = content("$directory/$path", $size);
  print defined $bytes ? ("=", $bytes) : "!" or exit 2;
}
