/** The address that a connection comes from; IPv4 in its own form. Empty when the connection is gone already. */
export function clientAddress({ remoteAddress = "" }: { remoteAddress?: string | undefined }): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
}
