# usage: perl - CLONE
# Updates the index of a clone whose files got another owner, so that git need not read each of them. It updates the entries of files whose
# size and modification time equal those in the index, to the microsecond: if only the seconds were compared, git would never notice a
# change that was made just after the checkout.
#
# Exit status: 1 when the index has another format than versions 2 and 3 with SHA-1. Git then has to refresh it.
use strict;
use warnings;
use Time::HiRes ();

my ($clone) = @ARGV;
chdir $clone or exit 1;
open my $file, '<:raw', '.git/index' or exit 1;
my $index = do { local $/; <$file> };
close $file;
my ($magic, $version, $count) = unpack 'a4 N N', $index;
exit 1 if $magic ne 'DIRC' || $version < 2 || $version > 3;

# An entry begins with 40 bytes: ctime and mtime (both with nanoseconds), device, inode, mode, uid, gid, size. Then follow an object id of
# 20 bytes and flags of 2 bytes.
my ($at, $end) = (12, length($index) - 20);
for (1 .. $count) {
  exit 1 if $at + 62 > $end;
  my ($mtime, $nanoseconds, $size, $flags) = unpack 'x8 N N x20 N x20 n', substr($index, $at, 62);
  my $name = $at + 62 + ($flags & 0x4000 ? 2 : 0);
  my $stop = index $index, "\0", $name;
  exit 1 if $stop < 0 || $stop > $end;
  my ($device, $inode, undef, undef, $uid, $gid, undef, $bytes, undef, $changed, $ctime) =
    Time::HiRes::lstat(substr($index, $name, $stop - $name));
  if (defined $inode && abs($changed - $mtime - $nanoseconds / 1e9) < 1e-6 && ($bytes & 0xffffffff) == $size) {
    substr $index, $at, 8, pack('N N', $ctime, 0);
    substr $index, $at + 16, 8, pack('N N', $device & 0xffffffff, $inode & 0xffffffff);
    substr $index, $at + 28, 8, pack('N N', $uid, $gid);
  }
  $at += ($stop - $at + 8) & ~7;
}

my $new = '.git/berth-index';
open my $out, '>:raw', $new or exit 1;
print $out substr($index, 0, $end) or exit 1;
close $out or exit 1;
my ($sum) = `sha1sum <$new` =~ /^([0-9a-f]{40}) / or exit 1;
open $out, '>>:raw', $new or exit 1;
print $out pack('H40', $sum) or exit 1;
close $out or exit 1;
rename $new, '.git/index' or exit 1;
