# Limits the pseudoterminals of a container. Runs after system-calls.pl (@berth/linux), as root.
#
# Arguments: the descriptor of the container's mount namespace, and the largest number of pseudoterminals.
use strict;

my ($namespace, $max) = @ARGV;
my ($CLONE_NEWNS, $REMOUNT, $NOSUID_NOEXEC) = (0x20000, 0x20, 0x2 | 0x8);
# A remount resets the options that it does not name.
my $options = "newinstance,ptmxmode=0666,mode=0620,gid=5,max=$max";
call("mount namespace", "setns", $namespace + 0, $CLONE_NEWNS);
call("pseudoterminals", "mount", "devpts", "/dev/pts", "devpts", $REMOUNT | $NOSUID_NOEXEC, $options);
