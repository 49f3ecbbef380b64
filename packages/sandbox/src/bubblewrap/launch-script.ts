import type { Architecture } from "@berth/linux";
import { perlCalls } from "@berth/linux";

/** Exit code when the disk could not be mounted. */
export const MOUNT_REFUSED = 124;
/** Exit code when what is on the disk cannot be mounted. */
export const MOUNT_BROKEN = 123;
/** EIO, EINVAL, EBADMSG, EUCLEAN: what mount says of a filesystem that it cannot read. */
const BROKEN_ERRORS = [5, 22, 74, 117];
/** Exit code when another sandbox has the disk, and kept it. */
export const IN_USE = 75;

const LONGEST_WAIT_SECONDS = 15;
const LOOP_DEVICES_TRIED = 256;

/**
 * Perl that does, in order, what its arguments say, up to a `--`, and becomes the program behind it:
 *
 * - `keep N`: closes the descriptors above N, which the server's process was started with and knows nothing of.
 * - `guard N`: leads a process group of its own from here, which a process beside it kills when descriptor N ends without a word.
 *   Process 1 waits for bwrap before it takes care of its own end, and for ever when bwrap was killed.
 * - `join FILE`: joins a control group by its list of processes.
 * - `apart`: takes a mount namespace of its own, which ends with it and what comes of it.
 * - `bind FROM AT`: shows a directory at another place.
 * - `overlay OPTIONS AT`: mounts an overlay, by the old call, as the new one takes no long list of layers.
 * - `disk IMAGE AT`: mounts the filesystem in a file. Its lock belongs to the open file, which the loop device holds: who gets it
 *   knows that no other device has the file, and it is free again once the kernel has let go of that device.
 * - `place DIRECTORY UID`: makes a directory of that owner's, of mode 700 where there is none.
 * - `pipe PATH UID`: makes a named pipe of that owner's; -1 for no other owner.
 * - `enter N KIND`: enters the namespace of kind `net` or `user` that descriptor N is.
 * - `limit NUMBER VALUE`: sets a resource limit, soft and hard.
 * - `become UID`: gives up root for that uid and gid and no groups.
 * - `bare`: lets no program inherit a capability.
 */
export function launchScript(architecture: Architecture): string {
  return `${perlCalls(architecture)}
sub attach {
  my ($image, $path) = @_;
  open(my $control, "+<", "/dev/loop-control") or fail("loop-control: $!");
  for (1 .. ${LOOP_DEVICES_TRIED}) {
    my $number = ioctl($control, 0x4C82, 0) // fail("no loop device: $!");
    open(my $device, "+<", "/dev/loop" . ($number + 0)) or fail("loop device: $!");
    my $settings = pack("L2 Q5 L4 a64 a64 a32 Q2 Q8", fileno $image, 0, (0) x 5, 0, 0, 0, 4, substr($path, 0, 63), "", "", (0) x 10);
    return ("/dev/loop" . ($number + 0), $device) if ioctl($device, 0x4C0A, $settings);
    fail("loop device: $!") unless $! == 16;
  }
  fail("no loop device is free");
}
sub mount_disk {
  my ($path, $at) = @_;
  open(my $image, "+<", $path) or fail("disk: $!");
  local $SIG{ALRM} = sub { exit ${IN_USE} };
  alarm ${LONGEST_WAIT_SECONDS};
  flock($image, 2) or exit ${IN_USE};
  alarm 0;
  my ($name, $device) = attach($image, $path);
  my ($kind, $options) = ("ext4", "discard,noinit_itable,errors=remount-ro");
  return if syscall($MOUNT, $name, $at, $kind, 0x2 | 0x4 | 0x400, $options) >= 0;
  $status = ${MOUNT_BROKEN} if grep { $! == $_ } ${BROKEN_ERRORS.join(", ")};
  fail("mount: $!");
}
sub own {
  my ($path, $uid) = @_;
  chown $uid, $uid, $path or fail("$path: $!");
}

my %do = (
  keep => sub {
    my ($last) = @_;
    opendir(my $list, "/proc/self/fd") or fail("descriptors: $!");
    my @open = grep { /^\\d+$/ && $_ > $last } readdir $list;
    closedir $list;
    syscall($CLOSE, $_ + 0) for @open;
  },
  guard => sub {
    setpgrp(0, 0) or fail("process group: $!");
    open(my $word, "<&=", $_[0]) or fail("guard: $!");
    my $group = $$;
    if (fork() // fail("guard: $!")) {
      close $word;
      return;
    }
    $_ == fileno $word or syscall($CLOSE, $_ + 0) for 0 .. $_[0];
    kill KILL => -$group unless sysread $word, my $told, 1;
    exit 0;
  },
  join => sub {
    open(my $file, ">", $_[0]) or fail("$_[0]: $!");
    (defined syswrite($file, $$) && close $file) or fail("$_[0]: $!");
  },
  apart => sub {
    call("mount namespace", $UNSHARE, $NEWNS);
    call("mount namespace", $MOUNT, 0, my $root = "/", 0, 0x4000 | 0x40000, 0);
  },
  bind => sub { call("bind", $MOUNT, $_[0], $_[1], 0, 0x1000, 0) },
  overlay => sub {
    my ($options, $at) = @_;
    my $kind = "overlay";
    call("the system", $MOUNT, $kind, $at, $kind, 0, $options);
  },
  disk => sub {
    $status = ${MOUNT_REFUSED};
    mount_disk(@_);
    $status = 125;
  },
  place => sub {
    my ($path, $uid) = @_;
    -d $path or mkdir $path, 0700 or fail("$path: $!");
    own($path, $uid);
  },
  pipe => sub {
    my ($path, $uid) = @_;
    call($path, $MKNODAT, $HERE, $path, 0010600, 0);
    own($path, $uid) if $uid >= 0;
  },
  enter => sub { call("namespace", $SETNS, $_[0] + 0, $_[1] eq "net" ? $NEWNET : $NEWUSER) },
  limit => sub {
    my ($number, $value) = @_;
    my $both = pack("Q2", $value, $value);
    call("limit $number", $PRLIMIT64, 0, $number + 0, $both, 0);
  },
  become => sub {
    my $uid = $_[0] + 0;
    call("groups", $SETGROUPS, 0, 0);
    call("gid", $SETRESGID, $uid, $uid, $uid);
    call("uid", $SETRESUID, $uid, $uid, $uid);
  },
  bare => sub {
    my ($head, $sets) = (pack("L l", 0x20080522, 0), "\\0" x 24);
    call("capabilities", $CAPGET, $head, $sets);
    my @words = unpack("L6", $sets);
    @words[2, 5] = (0, 0);
    $sets = pack("L6", @words);
    call("capabilities", $CAPSET, $head, $sets);
  },
);
my %count = (keep => 1, guard => 1, join => 1, apart => 0, bind => 2, overlay => 2, disk => 2, place => 2, pipe => 2, enter => 2, limit => 2, become => 1, bare => 0);
while ((my $what = shift // "--") ne "--") {
  my $act = $do{$what} // fail("not a step: $what");
  $act->(splice @ARGV, 0, $count{$what});
}
exec { $ARGV[0] } @ARGV or fail("$ARGV[0]: $!");
`;
}
