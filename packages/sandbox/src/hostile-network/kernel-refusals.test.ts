// Subject: what the kernel itself refuses in the network namespace of a sandbox.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, before, suite, test } from "node:test";
import { allowedZone } from "../../test-support/hostile/hostile-forms.ts";
import { CAPTURE_KINDS, openHostileRange, type Range } from "../../test-support/hostile/hostile-range.ts";

for (const capture of CAPTURE_KINDS)
  suite(`captured in a ${capture}`, () => {
    let range: Range;

    before(async () => {
      range = await openHostileRange({
        capture,
        hosts: [`*.${allowedZone}`],
        allowPrivate: ["127.0.0.1"],
        resolve: async () => ["127.0.0.1"],
      });
    });

    after(() => range.close());

    /** Programs that print `refused` when the kernel refuses each attempt. */
    const refusals: Record<string, string> = {
      "UDP to any port but 53": `
    use Socket; use IO::Socket::INET;
    for my $to ("8.8.8.8:443", "1.1.1.1:123", "127.0.0.1:5353", "169.254.169.254:80") {
      my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => $to) or die; $s->send("x");
      my $in = ""; vec($in, fileno($s), 1) = 1; select($in, undef, undef, 1);
      die "answered" if defined $s->recv(my $answer, 100);
    }`,
      "TCP to ports that nobody named": `
    use IO::Socket::INET;
    for my $port (22, 25, 53000, 81, 8080, 3129) {
      die "connected" if IO::Socket::INET->new(PeerAddr => "8.8.8.8:$port", Timeout => 2);
      die "connected" if IO::Socket::INET->new(PeerAddr => "a.allowed.example:$port", Timeout => 2);
    }`,
      "raw, packet and ping sockets": `
    use Socket;
    die "raw" if socket(my $a, PF_INET, SOCK_RAW, 1);
    die "packet" if socket(my $b, 17, SOCK_RAW, 0);
    die "vsock" if socket(my $c, 40, SOCK_STREAM, 0);
    die "sctp" if socket(my $d, PF_INET, SOCK_STREAM, 132);`,
      "abstract sockets of the host": `
    use Socket;
    socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket";
    die "connected" if connect($s, pack("Sa*", AF_UNIX, "\\0berth-hostile-${process.pid}"));`,
    };

    test("closed ports and other socket types → refused by the kernel", async () => {
      let reached = 0;
      const abstract = createServer(() => {
        reached += 1;
      }).listen(`\0berth-hostile-${process.pid}`);
      await once(abstract, "listening");
      const script = Object.values(refusals)
        .map((program) => `perl -e '${program} print "refused\\n";' 2>&1 || true`)
        .join("\n");
      const { lines } = await range.run(script);
      abstract.close();
      assert.deepEqual(
        Object.keys(refusals).map((what, index) => `${what}: ${lines[index]}`),
        Object.keys(refusals).map((what) => `${what}: refused`),
      );
      assert.equal(reached, 0);
      assert.deepEqual(range.resolved, []);
    });
  });
