# Unmounts a snapshot from a running sandbox and deletes the changes to it. Placed after system-calls.pl (@berth/linux) and
# living-sandbox.pl, before mount-helper.pl.
#
# Arguments of unmount_snapshot: the pid of bwrap, the pid of process 1, the uid of the sandbox, the directory of the disk in bwrap's mount
# namespace, the name of the snapshot's directory below "overlays" on the disk, and its target in the sandbox.
#
# The target is resolved as for mounting. It is unmounted at once, even while it is in use. Then its directory is removed, with the
# uid of the sandbox, if it is empty.
use strict;

our ($DIRECTORY, $PATH, $NO_LINKS);

sub unmount_snapshot {
  my ($bwrap, $init, $uid, $disk, $name, $target) = @_;
  my ($place, $inside) = namespaces_of($bwrap, $init);
  enter($inside);
  my @names = grep { length } split "/", $target;
  my $last = pop @names;
  my $parent = host_directory("/");
  for (@names) {
    $parent = open_at($parent, $_, $DIRECTORY | $PATH, $NO_LINKS);
    fail("the target: $!") if $parent < 0;
  }
  my $root = open_at($parent, $last, $DIRECTORY, $NO_LINKS);
  fail("the target: $!") if $root < 0;
  open(my $handle, "<&=", $root) or fail("the target: $!");
  chdir $handle or fail("the target: $!");
  call("the target", "umount2", ".", 0x2);
  chdir "/";
  close $handle;
  $) = "$uid $uid"; $> = $uid;
  system_call("unlinkat", $parent, $last, 0x200);
  $> = 0; $) = "0 0";
  enter($place);
  require File::Path;
  File::Path::remove_tree("$disk/overlays/$name");
}
