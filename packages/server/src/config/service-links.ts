type Texts = Readonly<Record<string, string | undefined>>;

const LINK = /^BERTH_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;
const PORT = /^BERTH_(\w+_)?PORT$/;
const ADDRESS = /^(tcp|udp|sctp):\/\//;

/**
 * The environment without what Kubernetes puts into each pod for Services named `berth` or `berth-…`: `BERTH_PORT` is then the address
 * of the Service, and no setting.
 */
export function withoutServiceLinks(environment: Texts): Texts {
  const own = Object.entries(environment).filter(
    ([name, value = ""]) => !LINK.test(name) && !(PORT.test(name) && ADDRESS.test(value)),
  );
  return Object.fromEntries(own);
}
