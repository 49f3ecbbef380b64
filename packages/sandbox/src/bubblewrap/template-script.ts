import type { Architecture } from "@berth/linux";
import { insideCalls } from "./template-calls.ts";

/** Exit code when something stands at the target. */
export const TARGET_TAKEN = 70;
/** Names that are tried for what stands in the way of one that is kept. */
const NAMES_BESIDE = 100;

/**
 * Perl that mounts templates into a living sandbox, for a child of the process that started bwrap, as root. Its arguments: the
 * pids of bwrap and of process 1, the sandbox's uid, the directory of the disk as bwrap's mount namespace shows it; then for each
 * template its source, its own name, its uid, the name of its directory below the disk's `overlays`, its target inside, and `fresh` or `kept`.
 *
 * The lower layer is a private clone of the source that shows the template's uid as the sandbox's; the upper one lies on the
 * disk, in no place of the sandbox. The overlay knows them by descriptors, so that its options tell no path of the host. It is
 * made in a copy of bwrap's mount namespace, where the disk is mounted, and moved as a detached mount into that of process 1.
 * There the target is walked down to one name at a time; a link on the way refuses it, as does a source that is one. What is missing of it is made with the
 * sandbox's uid. No path is taken from what the agent wrote, and nothing is run by its name.
 *
 * Fresh: what lies on the disk for that target is put away first, and the target has to be empty. Kept: what lies there is
 * shown again, with the template of the same name or not at all; when nothing does, it is fresh. What the agent has put in the
 * place of a kept one, or in the way to it, since it moved a directory above, is given another name beside: all its work stays in reach.
 */
export function templateScript(architecture: Architecture): string {
  return `${insideCalls(architecture)}
my ($NO_LINK, $NO_REPLACE) = (0x100, 0x1);
my ($bwrap, $init, $uid, $disk, @templates) = @ARGV;
my ($place, $inside) = both_of($bwrap, $init);
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
    syswrite($tell, ".") if syscall($UNSHARE, $NEWUSER) == 0;
    sysread($wait, my $byte, 1);
    kill KILL => $$;
  }
  close $tell; close $wait;
  sysread($made, my $byte, 1) or fail("no user namespace");
  spill("/proc/$child/$_", "$from $uid 1\\n") for "uid_map", "gid_map";
  my $space = namespace($child, "user");
  close $go;
  waitpid($child, 0);
  return $space;
}
sub lower {
  my ($source, $from) = @_;
  my $clone = call("the template", $OPEN_TREE, $HERE, $source, 1 | $CLOEXEC | $NO_LINK);
  my $space = mapping($from);
  my $attributes = pack("Q4", 0x100000 | 0x1 | 0x2 | 0x4, 0, 0, fileno $space);
  call("the template cannot be id-mapped", $MOUNT_SETATTR, $clone, $EMPTY, 0x1000, $attributes, length $attributes);
  return $clone;
}
sub as_the_agent {
  my ($number, @arguments) = @_;
  $) = "$uid $uid"; $> = $uid;
  my $result = syscall($number, @arguments);
  my $why = $! + 0;
  $> = 0; $) = "0 0";
  return $result < 0 ? $why : 0;
}
sub made_by_the_agent {
  my ($at, $name) = @_;
  my $why = as_the_agent($MKDIRAT, $at, $name, 0755);
  exit ${TARGET_TAKEN} if $why != 0 && $why != 17;
  return open_at($at, $name, $DIRECTORY | $PATH, $NO_LINKS);
}
sub put_beside {
  my ($at, $name) = @_;
  for my $number (1 .. ${NAMES_BESIDE}) {
    my $beside = "$name.moved-$number";
    my $why = as_the_agent($RENAMEAT2, $at, $name, $at, $beside, $NO_REPLACE);
    return if $why == 0;
    exit ${TARGET_TAKEN} if $why != 17;
  }
  exit ${TARGET_TAKEN};
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
    exit ${TARGET_TAKEN} if $next < 0;
    ($above, $last, $at) = ($at, $name, $next);
  }
  return $at if is_empty($at);
  exit ${TARGET_TAKEN} if $empty;
  put_beside($above, $last);
  $at = made_by_the_agent($above, $last);
  exit ${TARGET_TAKEN} if $at < 0;
  return $at;
}
sub make_layers {
  my ($directory, $name) = @_;
  mkdir "$disk/overlays", 0700;
  if (-d $directory) {
    require File::Path;
    File::Path::remove_tree($directory);
  }
  mkdir $directory, 0700 or fail("$directory: $!");
  for ("upper", "work") { mkdir "$directory/$_", 0755 or fail("$directory: $!") }
  chown $uid, $uid, "$directory/upper" or fail("$directory: $!");
  spill("$directory/source", $name);
}
sub overlay {
  my ($directory, $lower) = @_;
  my ($upper, $work) = (host_directory("$directory/upper"), host_directory("$directory/work"));
  call("the lower layer", $MOVE_MOUNT, $lower, $EMPTY, $HERE, $directory, 0x4);
  my $shown = host_directory($directory);
  my $kind = "overlay";
  my $context = call("overlay", $FSOPEN, $kind, 1);
  my @options = (
    [source => "template"], [lowerdir => "/proc/self/fd/$shown"], [upperdir => "/proc/self/fd/$upper"],
    [workdir => "/proc/self/fd/$work"], [redirect_dir => "on"], [index => "off"], [metacopy => "off"],
  );
  for (@options) {
    my ($key, $value) = @$_;
    call("overlay, $key", $FSCONFIG, $context, 1, $key, $value, 0);
  }
  call("overlay", $FSCONFIG, $context, 6, 0, 0, 0);
  return call("overlay", $FSMOUNT, $context, 1, 0x2 | 0x4 | 0x10);
}

my @mounts;
while (my ($source, $own_name, $from, $name, $path, $state) = splice @templates, 0, 6) {
  push @mounts, [$own_name, lower($source, $from), "$disk/overlays/$name", $path, $state];
}
enter($place);
call("namespace", $UNSHARE, $NEWNS);
my $own = namespace("self", "mnt");
for (@mounts) {
  my ($name, $lower, $directory, $path, $state) = @$_;
  my $kept = $state eq "kept" && -e "$directory/source";
  enter($inside);
  my $target = target($path, !$kept);
  enter($own);
  make_layers($directory, $name) unless $kept;
  fail("it was another template") unless slurp("$directory/source") eq $name;
  my $mount = overlay($directory, $lower);
  enter($inside);
  call("the target", $MOVE_MOUNT, $mount, $EMPTY, $target, $EMPTY, 0x4 | 0x40);
  enter($own);
}
`;
}
