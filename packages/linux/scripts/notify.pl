# Sends notifications to the service manager that started the service (sd_notify(3)), since Node.js has no Unix datagram sockets.
# $NOTIFY_SOCKET is the socket's path, or @ and an abstract name. Each line of standard input is one message, with tabs in place of
# line breaks. Ends when standard input does.
use strict;
use Socket;

my $address = $ENV{NOTIFY_SOCKET} // die "NOTIFY_SOCKET is not set\n";
$address =~ s/^@/\0/;
$SIG{$_} = "IGNORE" for "INT", "TERM", "HUP";
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!\n";
while (my $line = <STDIN>) {
  chomp $line;
  $line =~ tr/\t/\n/;
  send($socket, $line, 0, pack_sockaddr_un($address)) // print STDERR "the service manager was not told: $!\n";
}
