# Prepares a process for a sandbox, then becomes the program of that sandbox. Runs after system-calls.pl (@berth/linux).
#
# Arguments: steps, each with its own arguments, then "--", then the program to become with its arguments. The steps run in
# the order given:
#
#   take N           reads more arguments from descriptor N until its end: their number, then the arguments, each ended by a NUL. Ends
#                    the process when some are missing: the server has ended, or does not need the process any more. Until then
#                    lists of processes show it as berth-launcher
#   keep N           closes the descriptors above N, which the server itself inherited and does not know of
#   guard N          starts a new process group, and a process beside it that kills the group when descriptor N ends before a
#                    byte is read from it. Otherwise process 1 would wait for ever when bwrap is killed, since it waits for bwrap
#                    before it handles its own end
#   join FILE        joins a control group by its cgroup.procs file
#   apart            enters a new, private mount namespace, which ends with this process and its children
#   ptys MAX         mounts a separate /dev/pts with at most MAX pseudoterminals
#   bind FROM AT     bind mounts a directory
#   overlay OPTIONS AT
#                    mounts an overlay, with mount(2), since fsconfig(2) does not take a long list of layers
#   disk IMAGE AT    mounts the ext4 filesystem in a file, under a lock on the file. The loop device holds the locked open file, so
#                    the lock shows that no other device has the file, and it is free again once the kernel has released that
#                    device
#   place DIRECTORY UID MODE
#                    changes the owner of a directory; a missing one is made first, with that octal mode
#   pipe PATH UID    makes a named pipe with that owner; -1 leaves the owner
#   hold KIND PATH   opens the namespace ("net" or "user") at a path, since later steps may not be able to open the path
#   enter KIND       enters the namespace that "hold KIND" opened
#   limit NUMBER SOFT HARD
#                    sets the resource limit with that number; -1 is no limit
#   cores LIST       runs on these processor cores only, numbers separated by commas
#   become UID       changes from root to that uid and gid, without supplementary groups
#   bare             drops all capabilities, so that no program inherits one
#
# Exit status when a step fails, with the reason on standard error:
#    75  another sandbox uses the disk, and still did after 15 seconds
#   123  the content of the disk cannot be mounted
#   124  the disk cannot be mounted for another reason
#   125  anything else
use strict;

our $status;

my ($IN_USE, $MOUNT_BROKEN, $MOUNT_REFUSED) = (75, 123, 124);
# EIO, EINVAL, EBADMSG, EUCLEAN: errors of mount(2) about a filesystem that it cannot read.
my @BROKEN_ERRORS = (5, 22, 74, 117);
my $MAX_WAIT_SECONDS = 15;
my $LOOP_DEVICES_TRIED = 256;
my ($CLONE_NEWNS, $CLONE_NEWUSER, $CLONE_NEWNET, $AT_FDCWD) = (0x20000, 0x10000000, 0x40000000, -100);

sub attach {
  my ($image, $path) = @_;
  open(my $control, "+<", "/dev/loop-control") or fail("loop-control: $!");
  for (1 .. $LOOP_DEVICES_TRIED) {
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
  local $SIG{ALRM} = sub { exit $IN_USE };
  alarm $MAX_WAIT_SECONDS;
  flock($image, 2) or exit $IN_USE;
  alarm 0;
  my ($name, $device) = attach($image, $path);
  # nosuid, nodev, noatime
  return if system_call("mount", $name, $at, "ext4", 0x2 | 0x4 | 0x400, "discard,noinit_itable,errors=remount-ro") >= 0;
  $status = $MOUNT_BROKEN if grep { $! == $_ } @BROKEN_ERRORS;
  fail("mount: $!");
}
sub own {
  my ($path, $uid) = @_;
  chown $uid, $uid, $path or fail("$path: $!");
}

my %held;
my %do = (
  take => sub {
    $0 = "berth-launcher";
    open(my $list, "<&=", $_[0]) or fail("steps: $!");
    local $/;
    my ($count, @all) = split /\0/, <$list> // "", -1;
    close $list;
    # The last of them follows the last NUL.
    exit 0 unless @all && $count == @all - 1;
    pop @all;
    @ARGV = @all;
  },
  keep => sub {
    my ($last) = @_;
    opendir(my $list, "/proc/self/fd") or fail("descriptors: $!");
    my @open = grep { /^\d+$/ && $_ > $last } readdir $list;
    closedir $list;
    system_call("close", $_ + 0) for @open;
  },
  guard => sub {
    setpgrp(0, 0) or fail("process group: $!");
    open(my $word, "<&=", $_[0]) or fail("guard: $!");
    my $group = $$;
    if (fork() // fail("guard: $!")) {
      close $word;
      return;
    }
    $0 = "berth-guard";
    $_ == fileno $word or system_call("close", $_ + 0) for 0 .. $_[0];
    kill KILL => -$group unless sysread $word, my $told, 1;
    exit 0;
  },
  join => sub {
    open(my $file, ">", $_[0]) or fail("$_[0]: $!");
    (defined syswrite($file, $$) && close $file) or fail("$_[0]: $!");
  },
  apart => sub {
    call("mount namespace", "unshare", $CLONE_NEWNS);
    call("mount namespace", "mount", 0, "/", 0, 0x4000 | 0x40000, 0);
  },
  ptys => sub {
    # nosuid, noexec
    call("pseudoterminals", "mount", "devpts", "/dev/pts", "devpts", 0x2 | 0x8, "newinstance,ptmxmode=0666,mode=0620,max=$_[0]");
  },
  bind => sub { call("bind", "mount", $_[0], $_[1], 0, 0x1000, 0) },
  overlay => sub {
    my ($options, $at) = @_;
    call("the system", "mount", "overlay", $at, "overlay", 0, $options);
  },
  disk => sub {
    $status = $MOUNT_REFUSED;
    mount_disk(@_);
    $status = 125;
  },
  place => sub {
    my ($path, $uid, $mode) = @_;
    -d $path or mkdir($path, 0700) && chmod(oct $mode, $path) or fail("$path: $!");
    own($path, $uid);
  },
  pipe => sub {
    my ($path, $uid) = @_;
    call($path, "mknodat", $AT_FDCWD, $path, 0010600, 0);
    own($path, $uid) if $uid >= 0;
  },
  hold => sub { open($held{$_[0]}, "<", $_[1]) or fail("$_[0] namespace: $!") },
  enter => sub {
    call("namespace", "setns", fileno $held{$_[0]}, $_[0] eq "net" ? $CLONE_NEWNET : $CLONE_NEWUSER);
    close $held{$_[0]};
  },
  limit => sub {
    my ($number, @values) = @_;
    my $both = pack("q2", @values);
    call("limit $number", "prlimit64", 0, $number + 0, $both, 0);
  },
  cores => sub {
    my $set = "\0" x 1024;
    vec($set, $_, 1) = 1 for split /,/, $_[0];
    call("cores", "sched_setaffinity", 0, length $set, $set);
  },
  become => sub {
    my $uid = $_[0] + 0;
    call("groups", "setgroups", 0, 0);
    call("gid", "setresgid", $uid, $uid, $uid);
    call("uid", "setresuid", $uid, $uid, $uid);
  },
  bare => sub {
    call("capabilities", "capset", pack("L l", 0x20080522, 0), "\0" x 24);
  },
);
my %count = (
  take => 1, keep => 1, guard => 1, hold => 2, join => 1, apart => 0, ptys => 1, bind => 2, overlay => 2, disk => 2, place => 3, pipe => 2,
  enter => 1, limit => 3, cores => 1, become => 1, bare => 0,
);
while ((my $what = shift // "--") ne "--") {
  my $act = $do{$what} // fail("not a step: $what");
  $act->(splice @ARGV, 0, $count{$what});
}
exec { $ARGV[0] } @ARGV or fail("$ARGV[0]: $!");
