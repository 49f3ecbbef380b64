#!/bin/sh
# Boots systemd as process 1 over this machine's files, in new namespaces: boot.sh GROUP DIRECTORY SHARED.
# What it writes is in memory, and gone when process 1 ends. GROUP is an empty directory of the cgroup v2 hierarchy; DIRECTORY is an
# empty directory; SHARED is a directory that it sees as /mnt. Of this machine's units it starts only the journal, since those that set up
# hardware or the kernel would change the machine.
set -eu
group=$1 root=$2 shared=$3
echo $$ > "$group/cgroup.procs"
if [ "${4-}" != apart ]; then exec unshare --cgroup -- "$0" "$@" apart; fi

mount -t tmpfs tmpfs "$root"
mkdir "$root/upper" "$root/work" "$root/root"
mount -t overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" overlay "$root/root"
root=$root/root
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for path in run tmp dev; do mount -t tmpfs -o mode=0755 tmpfs "$root/$path"; done
chmod 1777 "$root/tmp"
for device in null zero full random urandom tty; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount --bind -o ro "$shared" "$root/mnt"
ip link set lo up

rm -rf "$root/etc/systemd/system" "$root/etc/fstab" "$root/etc/berth" "$root/var/lib/berth"
mkdir "$root/etc/systemd/system"
for unit in "$root"/usr/lib/systemd/system/sysinit.target.wants/* "$root"/usr/lib/systemd/system/local-fs.target.wants/*; do
  case ${unit##*/} in
    systemd-journald.service) ;;
    *) ln -s /dev/null "$root/etc/systemd/system/${unit##*/}" ;;
  esac
done
printf '[Unit]\nDefaultDependencies=no\nRequires=systemd-journald.service\n' > "$root/etc/systemd/system/test.target"
rm -f "$root/etc/machine-id"
echo 00000000000000000000000000000001 > "$root/etc/machine-id"
mkdir "$root/old"
cd "$root"
pivot_root . old
umount -l /old
exec env -i container=berth-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=test.target --show-status=no
