import type { HostileForm } from "./hostile-forms.ts";

/** A program that tries forms inside a sandbox and prints one line for each: `refused`, or the response. */
export interface Program {
  /** The field of `HostileForm` with the host that the program's denial reports. */
  as: Exclude<keyof HostileForm, "form" | "fetch">;
  /** Returns whether the form can be passed to the program. */
  takes(form: string): boolean;
  script(forms: readonly string[]): string;
}

export type ProgramName = "dns" | "http" | "https" | "bash" | "connect";

/** Returns whether a form can be one word of a command line. */
const isWord = (form: string): boolean => !/[\0\r\n\t ]/.test(form);

const inHex = (forms: readonly string[]): string =>
  forms.map((form) => `${Buffer.from(form).toString("hex")}\n`).join("");

/**
 * Returns a script that runs `body` with each form as `$form`, eight at a time, and prints the lines in
 * order.
 */
function each(forms: readonly string[], body: string): string {
  const list = forms.map((form) => `'${form.replaceAll("'", `'\\''`)}'`).join(" \\\n");
  return `i=0; export LC_ALL=C.UTF-8
for form in ${list}; do
  { ${body}; } >/tmp/out.$(printf %04d $i) 2>/tmp/err.$i &
  i=$((i + 1)); [ $((i % 8)) -eq 0 ] && wait
done; wait; cat /tmp/out.*`;
}

const curl = (scheme: string): Program => ({
  as: "curl",
  takes: isWord,
  script: (forms) => each(forms, `curl -sSkg -m 5 "${scheme}://$form/" && echo passed || echo refused`),
});

/** Returns a script that runs a Perl program with `rows` as its input. */
const perl = (rows: string, program: string): string =>
  `cat >/tmp/forms <<'E'\n${rows}E\ncat >/tmp/p.pl <<'P'\nuse strict; use Socket; use IO::Socket::INET; $| = 1;\n${program}\nP\nperl /tmp/p.pl </tmp/forms`;

export const programs: Readonly<Record<ProgramName, Program>> = {
  dns: {
    as: "dns",
    // Excludes the sandbox's own loopback, the only name that resolves without a policy.
    takes: (form) => form !== "localhost",
    script: (forms) =>
      perl(
        inHex(forms),
        `my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:53") or die;
while (my $line = <STDIN>) {
  chomp $line; my $name = pack("H*", $line); $name =~ s/\\.$//;
  my $id = $.;
  $s->send(pack("nnnnnn", $id, 256, 1, 0, 0, 0) . join("", map { pack("C/a", $_) } split(/\\./, $name, -1)) . pack("Cnn", 0, 1, 1));
  my $outcome = "refused";
  # An invalid query gets no response. A late response may belong to an earlier query.
  for (my $got = 0; $got != $id; ) {
    my $in = ""; vec($in, fileno($s), 1) = 1;
    select($in, undef, undef, 1) or last;
    $s->recv(my $answer, 4096);
    ($got, my $flags, undef, my $count) = unpack("nnnn", $answer);
    $outcome = "answered $got $flags $count" unless ($flags & 15) == 3 && $count == 0;
  }
  print "$outcome\\n";
}`,
      ),
  },
  http: curl("http"),
  https: curl("https"),
  bash: {
    as: "bash",
    takes: isWord,
    script: (forms) =>
      each(
        forms,
        `timeout 5 bash -c 'exec 5<>"/dev/tcp/$1/80" && printf "GET / HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" "$1" >&5 && read -r line <&5 && echo "passed $line"' - "$form" || echo refused`,
      ),
  },
  connect: {
    as: "connect",
    takes: () => true,
    script: (forms) =>
      perl(
        inHex(forms),
        `while (my $line = <STDIN>) {
  chomp $line; my $form = pack("H*", $line);
  my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:3128", Timeout => 5) or die;
  print $s "CONNECT $form:443 HTTP/1.1\\r\\n\\r\\n";
  my $answer = <$s> // "";
  print $answer =~ m{^HTTP/1.1 403 } ? "refused\\n" : "answered $answer\\n";
}`,
      ),
  },
};

export interface Sending {
  /** `host:port`, without brackets around an IPv6 address. */
  to: string;
  /** Each character is one byte. */
  bytes: string;
}

/**
 * Returns a script that sends each over its own connection and prints the first line received, or `nothing`.
 * With `ends`, it half-closes the connection after sending.
 */
export function sendEach(sendings: readonly Sending[], { ends = false } = {}): string {
  const rows = sendings
    .map(({ to, bytes }) => `${to} ${Buffer.from(bytes, "latin1").toString("hex")}\n`)
    .join("");
  return perl(
    rows,
    `while (my $line = <STDIN>) {
  chomp $line; my ($to, $hex) = split / /, $line;
  my $s = IO::Socket::INET->new(PeerAddr => $to, Timeout => 5) or do { print "unreachable\\n"; next };
  print $s pack("H*", $hex); $s->flush; ${ends ? "shutdown($s, 1);" : ""}
  my $answer = <$s> // "nothing"; $answer =~ s/\\s+$//;
  print "$answer\\n";
}`,
  );
}
