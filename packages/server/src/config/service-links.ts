type Texts = Readonly<Record<string, string | undefined>>;

const LINK = /^BERTH_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;
const PORT = /^BERTH_(\w+_)?PORT$/;
const ADDRESS = /^(tcp|udp|sctp):\/\//;

/**
 * Returns the environment without the variables that Kubernetes sets in each pod for Services named `berth`
 * or `berth-…`. For such a Service, `BERTH_PORT` is its address, not the setting.
 */
export function withoutServiceLinks(environment: Texts): Texts {
  const own = Object.entries(environment).filter(
    ([name, value = ""]) => !LINK.test(name) && !(PORT.test(name) && ADDRESS.test(value)),
  );
  return Object.fromEntries(own);
}
