import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { DENIED_SYSCALLS, EXAMINED_SYSCALLS } from "@berth/linux";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** Skipped without root, where connections that the kernel refuses are not reported. */
export const REFUSALS_TOLD = "egress: connections that the kernel refuses are reported";

/** Skipped without root, where all sandboxes run as one user. */
export const OWN_USER_LIMITS =
  "isolation: a sandbox at the kernel's limits for its user leaves a neighbour's alone";

/**
 * Skipped on Podman, which hides only the names of control groups that it assigns, not that of their common
 * parent.
 */
export const OWN_GROUP_TEST = "isolation: a process does not see the name of its control group";

/**
 * Takes inotify instances and large pipes until the kernel refuses, holds them, and prints how many of each.
 */
const TAKE_KERNEL_OBJECTS = `
use POSIX qw(uname); my $inotify = (uname)[4] eq "aarch64" ? 26 : 294;
my $instances = 0; $instances++ while $instances < $ARGV[0] && syscall($inotify, 0) >= 0;
my @pipes; while (@pipes < 2 * $ARGV[0]) { pipe(my $out, my $in) or last; push @pipes, $out, $in; fcntl($in, 1031, 1 << 20) or last }
$| = 1; print "$instances ", @pipes / 2, "\n"; exit if fork; close STDOUT; close STDERR; sleep 600;
`;

/** Tests what hostile code in a sandbox must not be able to do. */
export function isolationTests(suite: Suite): void {
  conformanceTest(suite, REFUSALS_TOLD, async ({ open }) => {
    const told = new Set<string>();
    const sandbox = await open({
      onEgressDenied: ({ host, port, reason }) => told.add(`${host} ${port} ${reason}`),
    });
    const script = `for kind in tcp/203.0.113.1/22 udp/203.0.113.2/123 tcp/127.0.0.1/4000 udp/127.0.0.2/4000; do
      bash -c "echo hello >/dev/$kind" 2>/dev/null
    done; sleep 0.1`;
    // Reporting starts a moment after the sandbox has opened.
    for (let tries = 0; tries < 50 && told.size < 2; tries += 1) await ok(sandbox, script);
    assert.deepEqual([...told].sort(), ["203.0.113.1 22 not_allowed", "203.0.113.2 123 not_allowed"]);
  });

  conformanceTest(suite, OWN_USER_LIMITS, async ({ open, subject, directory }) => {
    const [first, second] = [await open(), await open({ uid: subject.uid + 1, disk: `${directory}/other` })];
    const take = async (sandbox: Sandbox, most: number) =>
      (await ok(sandbox, `perl -e '${TAKE_KERNEL_OBJECTS}' ${most}`)).split(" ").map(Number);
    const [, pipes = 0] = await take(first, 10_000);
    assert.ok(pipes < 10_000, `${pipes} pipes`);
    assert.deepEqual(await take(second, 3), [3, 3]);
  });

  conformanceTest(suite, "isolation: process 1 runs supervisor.sh, byte for byte", async ({ open }) => {
    const sandbox = await open();
    const file = await readFile(new URL("../../scripts/commands/supervisor.sh", import.meta.url), "utf8");
    assert.match(
      await ok(sandbox, "tr '\\0' ' ' </proc/1/cmdline"),
      /^\/bin\/sh \/run\/berth\/supervisor \w+ $/,
    );
    assert.equal((await sh(sandbox, "cat /run/berth/supervisor")).text, file);
  });

  conformanceTest(suite, "isolation: commands that must fail", async ({ open, directory }) => {
    await writeFile(`${directory}/secret`, "host secret", { mode: 0o644 });
    await chmod(directory, 0o755);
    const sandbox = await open();
    const attempts = [
      "unshare --user true",
      "unshare --mount true",
      "unshare --net true",
      "unshare --user --map-root-user --pid --fork true",
      "mount -t tmpfs none /tmp",
      "mount -o remount,rw /usr",
      "umount /data",
      "cat /etc/shadow",
      `cat ${directory}/secret`,
      `ls ${directory}`,
      "ls /root",
      `kill -0 ${process.pid}`,
      "mknod /tmp/device b 254 0",
      "touch /usr/x",
      "touch /etc/x",
      "touch /x",
      "touch /dev/x",
      "touch /run/berth/x",
      "rm /run/berth/supervisor",
      "ls -d /sys/kernel/* /sys/class/*",
      "ls /dev/vda /dev/kvm /dev/mem /dev/fuse",
      "echo x >/proc/sys/kernel/core_pattern",
      "echo h >/proc/sysrq-trigger",
      "echo -500 >/proc/self/oom_score_adj",
      "cat /proc/kcore",
      "hostname other",
      "su -c id",
      "chroot / true",
      "dmesg",
      "nice -n -20 true 2>&1 | grep -q . && false",
      "ulimit -n 1000000",
      '[ "$(ulimit -c)" != 0 ]',
      "nsenter --target 1 --mount true",
      "chown 0:0 /data",
      "date -s 2001-01-01",
    ];
    for (const script of attempts) assert.notEqual((await sh(sandbox, script)).exitCode, 0, script);
  });

  conformanceTest(
    suite,
    "isolation: what a process sees of itself and of others",
    async ({ open, directory }) => {
      process.env.BERTH_TEST_SECRET = "canary-7361";
      const sandbox = await open();
      const status = await ok(sandbox, "cat /proc/self/status");
      for (const line of [
        /^CapEff:\s+0+$/m,
        /^CapPrm:\s+0+$/m,
        /^CapBnd:\s+0+$/m,
        /^NoNewPrivs:\s+1$/m,
        /^Seccomp:\s+2$/m,
      ])
        assert.match(status, line);
      // Container engines also list a process's own group among its supplementary groups.
      const gid = /^Gid:\t(\d+)/m.exec(status)?.[1];
      const groups = /^Groups:(.*)$/m.exec(status)?.[1]?.trim();
      assert.ok(groups === "" || (groups !== undefined && groups === gid), status);
      const first = await ok(
        sandbox,
        "cat /proc/1/environ /proc/1/cmdline /proc/1/comm | tr '\\0' '\\n'; ls -l /proc/1/fd | sed 's/.*->//'",
      );
      assert.ok(!first.includes("canary-7361"));
      assert.ok(!first.includes(directory));
      assert.equal(
        await ok(sandbox, "ps -eo pid --no-headers | wc -l | xargs test 10 -gt && echo few"),
        "few",
      );
      assert.equal(
        await ok(sandbox, "ls -l /proc/self/fd | grep -c -e socket: -e anon_inode -e 'net:' || true"),
        "0",
      );
      assert.equal(await ok(sandbox, "ls -l /proc/1/fd | grep -c -e 'net:' -e 'user:' || true"), "0");
      assert.equal(
        await ok(
          sandbox,
          "hostname; cat /proc/sys/kernel/random/boot_id >/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '",
        ),
        "session\nlo",
      );
      assert.equal(await ok(sandbox, "env | grep -c canary || true"), "0");
    },
  );

  conformanceTest(suite, OWN_GROUP_TEST, async ({ open }) => {
    const sandbox = await open();
    assert.equal(await ok(sandbox, "cat /proc/self/cgroup | grep -c berth || true"), "0");
  });

  conformanceTest(suite, "isolation: system calls that must be denied", async ({ open }) => {
    const column = process.arch === "x64" ? 0 : 1;
    const number = (name: string) => DENIED_SYSCALLS[name]?.[column] ?? -1;
    const examined = (name: keyof typeof EXAMINED_SYSCALLS) => EXAMINED_SYSCALLS[name][column];
    const socket = examined("socket");
    const probes: [string, number[], number][] = [
      ...[
        "keyctl",
        "add_key",
        "request_key",
        "io_uring_setup",
        "userfaultfd",
        "bpf",
        "setns",
        "chroot",
        "mount",
        "umount2",
        "pivot_root",
        "fsopen",
        "open_tree",
        "move_mount",
        "process_madvise",
        "kexec_load",
        "init_module",
        "finit_module",
        "reboot",
        "swapon",
        "open_by_handle_at",
        "name_to_handle_at",
        "fanotify_init",
        "kcmp",
        "pidfd_getfd",
      ].map((name): [string, number[], number] => [name, [number(name), 0, 0, 0, 0, 0], EPERM]),
      ["clone3", [examined("clone3"), 0, 0], ENOSYS],
      ["a call of the future", [900, 0], ENOSYS],
      ["unshare user", [examined("unshare"), 0x10000000], EPERM],
      ["unshare network", [examined("unshare"), 0x40000000], EPERM],
      ["clone user", [examined("clone"), 0x10000011, 0, 0, 0, 0], EPERM],
      ["vsock", [socket, 40, 1, 0], EAFNOSUPPORT],
      ["packet socket", [socket, 17, 3, 0], EAFNOSUPPORT],
      ["kernel crypto socket", [socket, 38, 5, 0], EAFNOSUPPORT],
      ["xdp socket", [socket, 44, 3, 0], EAFNOSUPPORT],
      ["bluetooth socket", [socket, 31, 3, 0], EAFNOSUPPORT],
      ["audit netlink", [socket, 16, 3, 9], EAFNOSUPPORT],
      ["netfilter netlink", [socket, 16, 3, 12], EAFNOSUPPORT],
      ["raw socket", [socket, 2, 3, 1], EPERM],
      ["terminal injection", [examined("ioctl"), 0, 0x5412, 0], EPERM],
      ["unix socket", [socket, 1, 1, 0], 0],
      ["route netlink", [socket, 16, 3, 0], 0],
      ["internet socket", [socket, 2, 1, 0], 0],
    ];
    const sandbox = await open();
    if ((await sh(sandbox, "command -v perl")).exitCode !== 0) return;
    const lines = await ok(sandbox, PROBE, {
      stdin: Buffer.from(probes.map(([, words]) => words.join(" ")).join("\n")),
    });
    assert.deepEqual(
      Object.fromEntries(lines.split("\n").map((line, index) => [probes[index]?.[0], Number(line)])),
      Object.fromEntries(probes.map(([name, , errno]) => [name, errno])),
    );
  });

  conformanceTest(suite, "isolation: sockets of the host cannot be reached", async ({ open }) => {
    const sandbox = await open();
    let reached = 0;
    const abstractName = `\0berth-test-${process.pid}`;
    const servers = [createServer(), createServer()];
    for (const server of servers)
      server.on("connection", (socket) => {
        reached++;
        socket.destroy();
      });
    servers[0]?.listen(0, "127.0.0.1");
    servers[1]?.listen(abstractName);
    await Promise.all(servers.map((server) => once(server, "listening")));
    const address = servers[0]?.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      assert.notEqual((await sh(sandbox, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`)).exitCode, 0);
      await perlConnect(sandbox, abstractName.slice(1));
      assert.equal(reached, 0);
    } finally {
      for (const server of servers) server.close();
    }
  });
}

async function perlConnect(sandbox: Sandbox, name: string): Promise<void> {
  const script = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die; connect(S, pack_sockaddr_un("\\0${name}")) or exit 9'`;
  assert.notEqual((await sh(sandbox, script)).exitCode, 0);
}

/** Makes the system call of each input line and prints the error number, or 0 on success. */
const PROBE = `perl -ne '@a = map { 0 + $_ } split; $! = 0; $r = syscall($a[0], @a[1..$#a]); $e = $! + 0; exit 0 if $a[0] == ${EXAMINED_SYSCALLS.clone[process.arch === "x64" ? 0 : 1]} && $r == 0; print(($r < 0 ? $e : 0), "\\n")'`;
