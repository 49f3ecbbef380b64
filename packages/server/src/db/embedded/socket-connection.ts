/** How clients reach an embedded server: `host` is the directory of its Unix socket. */
export type SocketConnection = { host: string; port: number; user: string; database: string };
