/**
 * The host that a denial reports. Null when nothing is denied, because the program's own parser or the kernel
 * rejects the form first. `VARIES` when it is denied, but versions of the program read it differently.
 */
export type Reported = string | null | typeof VARIES;

export const VARIES = Symbol("varies");

/** A host as a hostile program writes it, and the host that the denial reports for each way of using it. */
export interface HostileForm {
  form: string;
  /** Used as a DNS question, sent unchanged. */
  dns: Reported;
  /** Used as the host of an http or https URL for curl. */
  curl: Reported;
  /** Used as a host that bash connects to, resolved by the C library. */
  bash: Reported;
  /** Used as the target of a CONNECT request. */
  connect: Reported;
  /**
   * Used as the host of a URL that the service itself fetches. `VARIES` when it parses as an allowed host.
   */
  fetch: Reported;
}

/** The tests allow every name below this zone. No hostile form is such a name, whatever it looks like. */
export const allowedZone = "allowed.example";

/** Returns a form that every program reads in the same way. */
function plain(form: string, reported: Partial<HostileForm> = {}): HostileForm {
  return { form, dns: form, curl: form, bash: form, connect: form, fetch: form, ...reported };
}

/** Returns an address in another notation: programs parse it; DNS and CONNECT carry it unchanged. */
function address(form: string, read: string): HostileForm {
  return plain(form, { curl: read, bash: read, fetch: read });
}

/**
 * Returns an IPv6 address in brackets, which bash does not accept. An embedded IPv4 address is used as IPv4.
 */
function ipv6(inner: string, reported: Partial<HostileForm> = {}): HostileForm {
  return { ...plain(inner, { bash: null, dns: `[${inner}]` }), ...reported, form: `[${inner}]` };
}

/**
 * Returns a form that is not a host. Where it is carried unchanged, unprintable bytes are reported as `?`.
 */
function garbage(form: string, reported: Partial<HostileForm> = {}): HostileForm {
  const shown = Buffer.from(form)
    .toString("latin1")
    .replace(/[^\x21-\x7e]/g, "?");
  return { form, dns: shown, curl: VARIES, bash: VARIES, connect: shown, fetch: null, ...reported };
}

const literals: HostileForm[] = [
  plain("1.1.1.1"),
  plain("10.0.0.1"),
  plain("127.0.0.1"),
  plain("127.255.255.254"),
  plain("0.0.0.0", { curl: "127.0.0.1", bash: "127.0.0.1" }),
  plain("100.100.100.200"),
  plain("168.63.129.16"),
  plain("169.254.169.254"),
  plain("172.16.0.1"),
  plain("192.0.0.192"),
  plain("192.168.0.1"),
  plain("198.18.0.200"),
  plain("224.0.0.1", { curl: null, bash: null }),
  plain("255.255.255.255", { curl: null, bash: null }),
  address("2130706434", "127.0.0.2"),
  address("0x7f000003", "127.0.0.3"),
  address("017700000004", "127.0.0.4"),
  address("0x7f.5", "127.0.0.5"),
  address("0177.0.0.6", "127.0.0.6"),
  address("127.7", "127.0.0.7"),
  address("127.0.8", "127.0.0.8"),
  address("0xa9.0xfe.0xa9.0xfd", "169.254.169.253"),
  address("2852039164", "169.254.169.252"),
  address("00000177.0.0.9", "127.0.0.9"),
  address("127.0.0.0xa", "127.0.0.10"),
  plain("127.0.0.11.", { dns: "127.0.0.11", curl: VARIES, bash: "127.0.0.11", fetch: "127.0.0.11" }),
  plain("256.256.256.256", { curl: VARIES, fetch: null }),
  plain("1.2.3.4.5", { curl: VARIES, fetch: null }),
];

const ipv6Literals: HostileForm[] = [
  ipv6("::1"),
  ipv6("::", { curl: "::1" }),
  ipv6("::ffff:127.0.0.21", { curl: "127.0.0.21", fetch: "::ffff:7f00:15" }),
  ipv6("::ffff:a9fe:a9fe", { curl: "169.254.169.254" }),
  ipv6("::127.0.0.22", { curl: VARIES, fetch: "::7f00:16" }),
  ipv6("64:ff9b::7f00:1"),
  ipv6("64:ff9b:1::a00:1"),
  ipv6("2002:7f00:1::1"),
  ipv6("2001:0:7f00:1::1"),
  ipv6("2606:4700::1111"),
  ipv6("fd00:ec2::254"),
  ipv6("fec0::1"),
  ipv6("ff02::1", { curl: null }),
  ipv6("fe80::1%25lo", { curl: VARIES, fetch: null }),
  ipv6("::ffff:0:127.0.0.1", { curl: VARIES, fetch: "::ffff:0:7f00:1" }),
];

const upper = "evil-upper.example";
const trailing = "trailing.evil.example";
const tooLong = `${"long.".repeat(60)}allowed.example`;

const names: HostileForm[] = [
  plain("evil.example"),
  { ...plain(upper), form: "EVIL-Upper.Example" },
  plain("evil-allowed.example"),
  plain("notallowed.example"),
  plain("allowed.example"),
  plain("allowed.example.evil.net"),
  plain("a.allowed.example.evil.net"),
  plain("a.allowed.example-evil.net"),
  plain("a-allowed.example"),
  plain("allowed.examples"),
  plain("allowed.exampl"),
  plain("example"),
  plain("metadata"),
  plain("metadata.google.internal"),
  plain("instance-data.ec2.internal"),
  plain("host.docker.internal"),
  plain("kubernetes.default.svc"),
  plain("localhost", { curl: VARIES, bash: VARIES }),
  plain("app.localhost", { curl: VARIES, bash: VARIES }),
  plain("localhost.localdomain"),
  plain("127.0.0.1.nip.io"),
  plain("evil_under.example"),
  plain("xn--llowed-2nf.example"),
  plain("xn--bcher-kva.evil.example"),
  { ...plain(trailing), form: `${trailing}.` },
  plain("double.evil.example..", { dns: null, curl: VARIES, bash: VARIES }),
  plain("empty..allowed.example", { dns: null, curl: VARIES, bash: VARIES }),
  plain(".leading.allowed.example", { dns: null, curl: VARIES, bash: VARIES }),
  plain("*.allowed.example", { curl: VARIES, bash: VARIES }),
  plain("-dash.allowed.example", { curl: VARIES, bash: VARIES }),
  plain("dash-.allowed.example", { curl: VARIES, bash: VARIES }),
  plain(`${"l".repeat(64)}.allowed.example`, { dns: null, curl: null, bash: null }),
  plain(tooLong, { dns: null, curl: null, bash: null, connect: tooLong.slice(0, 253) }),
];

const written: HostileForm[] = [
  garbage("127.0.0.1%00.allowed.example"),
  garbage("evil\0.allowed.example"),
  garbage("evil.net\0a.allowed.example"),
  garbage("evil\r\n.allowed.example", { connect: "evil", fetch: VARIES }),
  garbage("evil.net\r\nHost: a.allowed.example", { connect: "evil.net" }),
  garbage("evil\n.allowed.example", { connect: "evil", fetch: VARIES }),
  garbage("evil\t.allowed.example", { fetch: VARIES }),
  garbage("evil net.allowed.example"),
  garbage("user@evil-user.example", { curl: "evil-user.example", fetch: "evil-user.example" }),
  garbage("a.allowed.example@evil-info.example", { curl: "evil-info.example", fetch: "evil-info.example" }),
  garbage("a.allowed.example:443@evil-port.example", {
    curl: "evil-port.example",
    fetch: "evil-port.example",
  }),
  garbage("evil%2eescaped.example", { fetch: "evil.escaped.example" }),
  garbage("evil%00.allowed.example"),
  garbage("evil%2f.allowed.example"),
  garbage("evil.net/.allowed.example", { curl: "evil.net", fetch: "evil.net" }),
  garbage("evil.net\\.allowed.example", { fetch: "evil.net" }),
  garbage("evil.net#.allowed.example", { curl: "evil.net", fetch: "evil.net" }),
  garbage("evil.net?.allowed.example", { curl: "evil.net", fetch: "evil.net" }),
  garbage("evil.net:80:.allowed.example"),
  garbage("аllowed.example", { fetch: "xn--llowed-2nf.example" }),
  garbage("bücher.evil.example", { fetch: "xn--bcher-kva.evil.example" }),
  garbage("ｅｖｉｌ.example", { fetch: "evil.example" }),
  garbage("evil。dots.example", { fetch: "evil.dots.example" }),
  garbage("evil\u200b.example", { fetch: "evil.example" }),
  garbage("\u212aelvin.example", { fetch: "kelvin.example" }),
  garbage("ﬁle.example", { fetch: "file.example" }),
  garbage("①②⑦.⓪.⓪.①", { fetch: "127.0.0.1" }),
  garbage("evil\u202egro.example"),
  garbage("faß.example", { fetch: "xn--fa-hia.example" }),
  garbage("evil$(id).example", { fetch: "evil$(id).example" }),
  garbage("evil;a.allowed.example", { fetch: "evil;a.allowed.example" }),
];

export const hostileForms: readonly HostileForm[] = [...literals, ...ipv6Literals, ...names, ...written];

/**
 * Addresses that a resolver returns for allowed names and that must not be connected to. They cover every
 * address family that can carry an address of this machine, its networks or its cloud.
 */
export const hostileAnswers: readonly (readonly string[])[] = [
  ["127.0.0.1"],
  ["0.0.0.0"],
  ["10.0.0.1", "192.168.1.1"],
  ["172.31.255.255"],
  ["100.64.0.1"],
  ["100.100.100.200"],
  ["169.254.169.254", "fd00:ec2::254"],
  ["168.63.129.16"],
  ["192.0.0.192"],
  ["192.0.2.1", "198.51.100.1", "203.0.113.1"],
  ["192.88.99.1"],
  ["198.18.0.1"],
  ["224.0.0.1"],
  ["255.255.255.255"],
  ["::"],
  ["::1"],
  ["::127.0.0.1"],
  ["::ffff:127.0.0.1"],
  ["::ffff:10.0.0.1", "::ffff:0:10.0.0.1"],
  ["64:ff9b::127.0.0.1"],
  ["64:ff9b:1::10.0.0.1"],
  ["100::1"],
  ["2001::1"],
  ["2001:db8::1"],
  ["2002:7f00:1::1"],
  ["3fff::1"],
  ["4000::1"],
  ["5f00::1"],
  ["fc00::1"],
  ["fe80::1", "fec0::1"],
  ["ff02::1"],
  ["not an address", "127.1", "0x7f000001"],
];
