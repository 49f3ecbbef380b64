import { Counter, Gauge, type Registry } from "prom-client";

export type ExchangeKind = "request" | "web_socket";

/** Metrics of the requests for previews, which are no operations of the API. */
export interface PreviewMetrics {
  /** Call the returned function when the exchange has ended, with its status; null without a response. */
  began(kind: ExchangeKind): (status: number | null) => void;
}

/** Adds the metrics to a registry, which has none of them yet. */
export function createPreviewMetrics(registry: Registry): PreviewMetrics {
  const labelNames = ["kind"] as const;
  const open = new Gauge({
    name: "berth_preview_exchanges",
    help: "Requests and web sockets for previews in progress.",
    labelNames,
    registers: [registry],
  });
  const ended = new Counter({
    name: "berth_preview_requests_total",
    help: "Requests and web sockets for previews that have ended, by the class of their status.",
    labelNames: [...labelNames, "status"] as const,
    registers: [registry],
  });
  return {
    began(kind) {
      open.inc({ kind });
      return (status) => {
        open.dec({ kind });
        ended.inc({ kind, status: classOf(status) });
      };
    },
  };
}

/** Returns a label such as `2xx`. Programs in sandboxes choose statuses, so each number would be a label of its own. */
function classOf(status: number | null): string {
  if (status === null) return "none";
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : "other";
}
