import { probeGroup } from "./probe.ts";

const HOST = 'if printf %s "$answer" | mine host; then breach "the host\'s server answered"; fi';
const netlink = (...protocols: number[]) => protocols.map((one) => `attempt socket 16 3 ${one}`).join("; ");

/**
 * Probes of servers of the host and its cloud, and of kinds of sockets. No probe sends anything beyond the
 * machine.
 */
export const NETWORK_PROBES = probeGroup("network", [
  [
    "host_loopback",
    "connects to a server on the host's loopback address",
    "user",
    `answer=$(ask tcp 127.0.0.1 "$host_port"); ${HOST}`,
  ],
  [
    "host_loopback_other",
    "connects to that server at 0.0.0.0",
    "user",
    `answer=$(ask tcp 0.0.0.0 "$host_port"); ${HOST}`,
  ],
  [
    "host_loopback_v6",
    "connects to a server on the host's IPv6 loopback address",
    "user",
    `[ -n "\${host_port6-}" ] || untried "the host has no IPv6"; answer=$(ask tcp6 ::1 "$host_port6"); ${HOST}`,
  ],
  [
    "host_loopback_mapped",
    "connects to the host's loopback address as an IPv4-mapped IPv6 address",
    "user",
    `answer=$(ask tcp6 ::ffff:127.0.0.1 "$host_port"); ${HOST}`,
  ],
  [
    "host_by_proxy",
    "makes the proxy connect to the host's loopback address",
    "user",
    `request=$(printf 'CONNECT 127.0.0.1:%s HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n.' "$host_port" "$host_port"); answer=$(ask tcp 127.0.0.1 "\${proxy_port:-3128}" "\${request%.}"); ${HOST}; said=$(printf %s "$answer" | head -n 1 | tr -d '\\r')`,
  ],
  [
    "metadata",
    "reads the metadata service of a cloud",
    "user",
    `request=$(printf 'GET /latest/meta-data/ HTTP/1.0\\r\\nHost: 169.254.169.254\\r\\n\\r\\n.'); answer=$(ask tcp 169.254.169.254 80 "\${request%.}" | head -n 1 | tr -d '\\r'); case $answer in 'HTTP/1.'?' 2'*) breach "$answer" ;; esac; said=$answer`,
  ],
  [
    "metadata_by_proxy",
    "makes the proxy connect to the metadata service",
    "user",
    `request=$(printf 'GET http://169.254.169.254/latest/meta-data/ HTTP/1.0\\r\\nHost: 169.254.169.254\\r\\n\\r\\n.'); answer=$(ask tcp 127.0.0.1 "\${proxy_port:-3128}" "\${request%.}" | head -n 1 | tr -d '\\r'); case $answer in 'HTTP/1.'?' 2'*) breach "$answer" ;; esac; said=$answer`,
  ],
  [
    "service_api",
    "connects to the API of the service",
    "user",
    `answer=$(ask tcp 127.0.0.1 "\${service_port:-$host_port}" "$(printf 'GET / HTTP/1.0\\r\\n\\r\\n.')"); [ -z "$answer" ] || breach "$answer"`,
  ],
  [
    "host_abstract",
    "connects to an abstract unix socket of the host",
    "user",
    `answer=$(ask unix "@host-$tag"); ${HOST}`,
  ],
  [
    "host_unix",
    "connects to a unix socket in a directory of the host",
    "user",
    `answer=$(ask unix "$host_directory/host-$tag.socket"); ${HOST}`,
  ],
  [
    "host_unix_other_root",
    "connects to a unix socket of the host through the root directory of another process",
    "root",
    `for root in /proc/[0-9]*/root; do socket=$root$host_directory/host-$tag.socket; [ -e "$socket" ] || continue; answer=$(ask unix "$socket"); ${HOST}; done`,
  ],
  [
    "mounted_sockets",
    "finds a socket of the host in a mounted directory",
    "user",
    `found=$(find /run /mnt /opt /srv /media /var/run "$host_directory" -type s | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "engine_sockets",
    "finds the socket of a container engine",
    { never: "the machine of a test may have none" },
    `for path in /run/docker.sock /var/run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock; do [ ! -e "$path" ] || breach "$path"; done`,
  ],
  [
    "interfaces",
    "finds a network interface besides loopback",
    "user",
    `found=$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | grep -v -e '^lo$' | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "interface_settings",
    "changes a network interface",
    "root",
    `said=$(perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0) or exit; print ioctl(S, 0x8922, my $request = pack("a16 i x20", "lo", 65536)) ? "success" : $!'); [ "$said" != success ] || breach "loopback was changed"`,
  ],
  [
    "system_ports",
    "listens at the ports of the proxy",
    "root",
    `said=$(perl -MSocket -e 'for (53, 80, 443) { socket(S, AF_INET, SOCK_STREAM, 0) or exit; setsockopt(S, SOL_SOCKET, $_, 1) for SO_REUSEADDR, SO_REUSEPORT; print(bind(S, pack_sockaddr_in($_, INADDR_LOOPBACK)) && listen(S, 1) ? "success" : $!) }'); case $said in *success*) breach "a port was taken" ;; esac`,
  ],
  [
    "raw",
    "opens a raw socket",
    "root",
    `attempt socket 2 3 1; attempt socket 2 3 255; attempt socket 10 3 58`,
  ],
  ["packet", "opens a packet socket", "root", `attempt socket 17 3 0; attempt socket 17 2 0`],
  [
    "vsock",
    "opens a socket to the hypervisor, which no namespace confines",
    "user",
    `attempt socket 40 1 0; attempt socket 40 2 0`,
  ],
  ["crypto", "opens a socket of the kernel's crypto API", "user", `attempt socket 38 5 0`],
  ["express_data_path", "opens an AF_XDP socket", "root", `attempt socket 44 3 0`],
  ["key_socket", "opens an AF_KEY socket", "root", `attempt socket 15 3 2`],
  ["netlink_audit", "opens a netlink socket of the audit system", "user", `${netlink(9)}`],
  ["netlink_firewall", "opens a netlink socket of the firewall", "user", `${netlink(12)}`],
  ["netlink_events", "opens a netlink socket for device events", "user", `${netlink(15, 11)}`],
  ["netlink_transform", "opens a netlink socket of the IPsec tables", "user", `${netlink(6)}`],
  ["netlink_diagnosis", "opens a netlink socket for socket diagnosis", "user", `${netlink(4)}`],
  [
    "netlink_others",
    "opens a netlink socket of any other protocol",
    "user",
    `${netlink(2, 3, 5, 7, 8, 10, 14, 16, 18, 19, 20, 21, 22)}`,
  ],
  [
    "socket_protocols",
    "opens an internet socket of a rare protocol, for which the kernel may load a module",
    "user",
    `attempt socket 2 1 262; attempt socket 2 2 136; attempt socket 2 5 132; attempt socket 2 6 33; attempt socket 2 2 115`,
  ],
  [
    "socket_families",
    "opens a socket of any other address family",
    "root",
    `said=$(perl -MSocket -e 'for my $f (3 .. 9, 11 .. 14, 18 .. 37, 39, 41 .. 46) { for my $k (1, 2, 3, 5) { print "$f " if socket(S, $f, $k, 0) } }'); [ -z "$said" ] || breach "families $said"`,
  ],
  [
    "socket_pairs",
    "opens a pair of sockets of another address family",
    "user",
    `attempt socketpair 30 1 0 buf:8; attempt socketpair 2 1 0 buf:8`,
  ],
] as const);
