# Mounts snapshots into a running sandbox. Placed after system-calls.pl (@berth/linux) and living-sandbox.pl, before mount-helper.pl.
#
# Arguments of mount_snapshots: the pid of bwrap, the pid of process 1, the uid of the sandbox, and the directory of the disk in bwrap's mount
# namespace. Then, for each snapshot:
#
#   NUMBER         the number of layers that follow, highest first
#   SOURCE NAME UID …
#                  for each layer its directory, the name of the snapshot that it belongs to, and the uid that owns its files
#   DIRECTORY      the name of the directory below "overlays" on the disk
#   TARGET         its path in the sandbox
#   STATE          fresh or kept
#
# Ends the process. Exit status: 70 when the target is not empty or cannot be made, 125 for anything else, with the reason on standard error.
#
# The lower layers of an overlay are private clones of the directories, id-mapped so that the uid of each appears as the uid of the
# sandbox. The upper layer is on the disk, outside every directory that the sandbox sees. The overlay gets all layers as
# descriptors, so that its mount options show no path of the host. It is made in a copy of bwrap's mount namespace, where the disk is
# mounted, and moved as a detached mount into the namespace of process 1.
#
# There the target is resolved one name at a time. A link on the way, or as the source, is an error. Missing directories are
# made with the uid of the sandbox. No path comes from anything that the agent wrote, and no program is run.
#
# fresh: an upper layer for the target on the disk is deleted first, and the target must be empty.
# kept: the existing upper layer is mounted again, over the layers of those snapshots that it was made over, which must all be there. If
# there is none, as for fresh.
# If the agent has moved a directory above the target and put something at the target or in the way to it, that is renamed to
# NAME.moved-N, so that none of its work is hidden.
use strict;

our ($DIRECTORY, $CLOEXEC, $PATH, $NO_LINKS, $CLONE_NEWNS, $CLONE_NEWUSER, $AT_FDCWD);

my $TARGET_TAKEN = 70;
my $NAMES_BESIDE = 100;
my ($AT_SYMLINK_NOFOLLOW, $RENAME_NOREPLACE) = (0x100, 0x1);

my ($uid, $disk);

sub spill {
  my ($path, $text) = @_;
  open(my $file, ">", $path) or fail("$path: $!");
  defined syswrite($file, $text) or fail("$path: $!");
  close $file or fail("$path: $!");
}
sub mapping {
  my ($from) = @_;
  pipe(my $made, my $tell) or fail("pipe: $!");
  pipe(my $wait, my $go) or fail("pipe: $!");
  my $child = fork();
  fail("fork: $!") unless defined $child;
  if ($child == 0) {
    close $made; close $go;
    syswrite($tell, ".") if system_call("unshare", $CLONE_NEWUSER) == 0;
    sysread($wait, my $byte, 1);
    kill KILL => $$;
  }
  close $tell; close $wait;
  sysread($made, my $byte, 1) or fail("no user namespace");
  spill("/proc/$child/$_", "$from $uid 1\n") for "uid_map", "gid_map";
  my $space = namespace($child, "user");
  close $go;
  waitpid($child, 0);
  return $space;
}
sub lower {
  my ($source, $space) = @_;
  my $clone = call("the snapshot", "open_tree", $AT_FDCWD, $source, 1 | $CLOEXEC | $AT_SYMLINK_NOFOLLOW);
  my $attributes = pack("Q4", 0x100000 | 0x1 | 0x2 | 0x4, 0, 0, fileno $space);
  call("the snapshot cannot be id-mapped", "mount_setattr", $clone, "", 0x1000, $attributes, length $attributes);
  return $clone;
}
sub as_the_agent {
  my ($call, @arguments) = @_;
  $) = "$uid $uid"; $> = $uid;
  my $result = system_call($call, @arguments);
  my $why = $! + 0;
  $> = 0; $) = "0 0";
  return $result < 0 ? $why : 0;
}
sub made_by_the_agent {
  my ($at, $name) = @_;
  my $why = as_the_agent("mkdirat", $at, $name, 0755);
  exit $TARGET_TAKEN if $why != 0 && $why != 17;
  return open_at($at, $name, $DIRECTORY | $PATH, $NO_LINKS);
}
sub put_beside {
  my ($at, $name) = @_;
  for my $number (1 .. $NAMES_BESIDE) {
    my $beside = "$name.moved-$number";
    my $why = as_the_agent("renameat2", $at, $name, $at, $beside, $RENAME_NOREPLACE);
    return if $why == 0;
    exit $TARGET_TAKEN if $why != 17;
  }
  exit $TARGET_TAKEN;
}
sub is_empty {
  my ($at) = @_;
  my $list = open_at($at, ".", $DIRECTORY, $NO_LINKS);
  open(my $handle, "<&=", $list) or fail("the target: $!");
  chdir $handle or fail("the target: $!");
  opendir(my $entries, ".") or fail("the target: $!");
  return !grep { $_ ne "." && $_ ne ".." } readdir $entries;
}
sub target {
  my ($path, $empty) = @_;
  my ($at, $above, $last) = (host_directory("/"));
  for my $name (grep { length } split "/", $path) {
    my $next = open_at($at, $name, $DIRECTORY | $PATH, $NO_LINKS);
    if ($next < 0 && !$empty && ($! == 20 || $! == 40)) {
      put_beside($at, $name);
      $! = 2;
    }
    $next = made_by_the_agent($at, $name) if $next < 0 && $! == 2;
    exit $TARGET_TAKEN if $next < 0;
    ($above, $last, $at) = ($at, $name, $next);
  }
  return $at if is_empty($at);
  exit $TARGET_TAKEN if $empty;
  put_beside($above, $last);
  $at = made_by_the_agent($above, $last);
  exit $TARGET_TAKEN if $at < 0;
  return $at;
}
sub make_layers {
  my ($directory, @names) = @_;
  mkdir "$disk/overlays", 0700;
  if (-d $directory) {
    require File::Path;
    File::Path::remove_tree($directory);
  }
  mkdir $directory, 0700 or fail("$directory: $!");
  for ("upper", "work") { mkdir "$directory/$_", 0755 or fail("$directory: $!") }
  chown $uid, $uid, "$directory/upper" or fail("$directory: $!");
  my %seen;
  spill("$directory/source", join "\n", grep { !$seen{$_}++ } @names);
}
sub overlay {
  my ($directory, @lower) = @_;
  my ($upper, $work) = (host_directory("$directory/upper"), host_directory("$directory/work"));
  # Each layer is mounted over the one before.
  my @shown = map {
    call("a lower layer", "move_mount", $_, "", $AT_FDCWD, $directory, 0x4);
    "/proc/self/fd/" . host_directory($directory);
  } @lower;
  my $context = call("overlay", "fsopen", "overlay", 1);
  my @options = (
    [source => "snapshot"], [lowerdir => join(":", @shown)], [upperdir => "/proc/self/fd/$upper"],
    [workdir => "/proc/self/fd/$work"], [redirect_dir => "on"], [index => "off"], [metacopy => "off"],
  );
  for (@options) {
    my ($key, $value) = @$_;
    call("overlay, $key", "fsconfig", $context, 1, $key, $value, 0);
  }
  call("overlay", "fsconfig", $context, 6, 0, 0, 0);
  return call("overlay", "fsmount", $context, 1, 0x2 | 0x4 | 0x10);
}

# Returns the layers that the upper layer in this directory was made over.
sub layers_below {
  my ($directory, @layers) = @_;
  my %wanted = map { $_ => 1 } split /\n/, slurp("$directory/source");
  my @below = grep { $wanted{$_->[0]} } @layers;
  delete $wanted{$_->[0]} for @below;
  fail("it was another snapshot") if %wanted;
  return map { $_->[1] } @below;
}

sub mount_snapshots {
  (my $bwrap, my $init, $uid, $disk, my @snapshots) = @_;
  my ($place, $inside) = namespaces_of($bwrap, $init);
  my (@mounts, %spaces);
  while (my $number = shift @snapshots) {
    my @layers;
    for (1 .. $number) {
      my ($source, $name, $from) = splice @snapshots, 0, 3;
      push @layers, [$name, lower($source, $spaces{$from} //= mapping($from))];
    }
    my ($name, $path, $state) = splice @snapshots, 0, 3;
    push @mounts, [\@layers, "$disk/overlays/$name", $path, $state];
  }
  enter($place);
  call("namespace", "unshare", $CLONE_NEWNS);
  my $own = namespace("self", "mnt");
  for (@mounts) {
    my ($layers, $directory, $path, $state) = @$_;
    my $kept = $state eq "kept" && -e "$directory/source";
    enter($inside);
    my $target = target($path, !$kept);
    enter($own);
    make_layers($directory, map { $_->[0] } @$layers) unless $kept;
    my $mount = overlay($directory, layers_below($directory, @$layers));
    enter($inside);
    call("the target", "move_mount", $mount, "", $target, "", 0x4 | 0x40);
    enter($own);
  }
}
