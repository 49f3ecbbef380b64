import { probeGroup } from "./probe.ts";

/** Probes of other users and of privileges. */
export const PRIVILEGE_PROBES = probeGroup("privileges", [
  [
    "setuid_allowed",
    "can gain privileges by running programs",
    "user",
    `if grep -q '^NoNewPrivs:.*0$' /proc/self/status; then breach "programs may give privileges"; fi`,
  ],
  ["su", "becomes root by su", "root", `if [ "$(su -c 'id -u' root)" = 0 ]; then breach "it is root"; fi`],
  [
    "setuid_programs",
    "becomes root with a set-user-id program",
    "root",
    `for program in sudo pkexec doas; do command -v "$program" >/dev/null || continue; if [ "$("$program" -n id -u)" = 0 ]; then breach "$program made it root"; fi; done
for program in newuidmap newgidmap; do command -v "$program" >/dev/null || continue; sleep 3 9>&- & if "$program" $! 0 0 1; then breach "$program maps root"; fi; kill "$!"; done; if [ "$(setpriv --reuid=0 id -u)" = 0 ]; then breach "it is root"; fi`,
  ],
  [
    "user_zero",
    "becomes root with setuid",
    "root",
    `said=$(call setuid 0); case $said in success*) breach "it is root" ;; esac`,
  ],
  ["groups", "joins a group of the host", "root", `attempt setgroups 1 hex:00000000`],
  [
    "capabilities",
    "has a capability",
    "root",
    `found=$(grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "capability_gain",
    "gives itself a capability",
    "root",
    `attempt capset hex:2205082000000000 hex:010000000100000000000000000000000000000000000000`,
  ],
  [
    "file_capability",
    "gives a program a capability",
    "root",
    `: >"$data/program-$tag"; attempt setxattr "$data/program-$tag" security.capability hex:0000000201000000000000000000000000000000 20 0`,
  ],
  [
    "file_owner",
    "gives a file to root",
    "root",
    `: >"$data/file-$tag"; if chown 0:0 "$data/file-$tag" && [ "$(stat -c %u "$data/file-$tag")" = 0 ]; then breach "it is root's"; fi`,
  ],
  [
    "file_owner_others",
    "gives a file to another user of the host",
    "root",
    `: >"$data/file-$tag"; for id in 1 33 65534 70001; do if chown "$id" "$data/file-$tag"; then breach "it is $id's"; fi; done`,
  ],
  [
    "setuid_places",
    "can write to a filesystem that is mounted without nosuid",
    "user",
    `for place in "$data" "$data"/*/ "$scratch" /var/tmp /dev/shm; do [ -w "$place" ] || continue; case ,$(findmnt -n -o OPTIONS --target "$place" | tail -n 1), in *,nosuid,*) ;; *) breach "$place is mounted without nosuid" ;; esac; done`,
  ],
  [
    "device_places",
    "can write to a filesystem that is mounted without nodev",
    "user",
    `for place in "$data" "$data"/*/ "$scratch" /var/tmp; do [ -w "$place" ] || continue; case ,$(findmnt -n -o OPTIONS --target "$place" | tail -n 1), in *,nodev,*) ;; *) breach "$place is mounted without nodev" ;; esac; done`,
  ],
] as const);
