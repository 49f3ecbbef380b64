/**
 * A case in which an alert fires: series in promtool's notation, the time of firing, and its labels except
 * the severity.
 */
export interface AlertCase {
  series: Readonly<Record<string, string>>;
  at: string;
  labels: Readonly<Record<string, string>>;
}

/** The cases by the name of the alert. */
export const FIRING: Readonly<Record<string, AlertCase>> = {
  BerthDown: {
    at: "5m",
    labels: { job: "berth", instance: "a" },
    series: {
      'up{job="berth", instance="a"}': "0x20",
    },
  },
  BerthRunnerDown: {
    at: "6m",
    labels: { instance: "a" },
    series: {
      'berth_runner_up{instance="a"}': "1x3 0x20",
    },
  },
  BerthDatabaseDown: {
    at: "6m",
    labels: { instance: "a" },
    series: {
      'berth_database_up{instance="a"}': "1x3 0x20",
    },
  },
  BerthSessionsWait: {
    at: "15m",
    labels: { instance: "a" },
    series: {
      'berth_due_seconds{instance="a"}': "0+60x30",
    },
  },
  BerthTurnsWait: {
    at: "30m",
    labels: { instance: "a" },
    series: {
      'berth_turn_wait_seconds_bucket{instance="a", le="30"}': "0x60",
      'berth_turn_wait_seconds_bucket{instance="a", le="60"}': "0+10x60",
      'berth_turn_wait_seconds_bucket{instance="a", le="+Inf"}': "0+10x60",
    },
  },
  BerthErrors: {
    at: "15m",
    labels: { instance: "a" },
    series: {
      'berth_http_request_seconds_count{instance="a", operation="agents.list", status="200"}': "0+90x30",
      'berth_http_request_seconds_count{instance="a", operation="agents.list", status="503"}': "0+10x30",
    },
  },
  BerthSlow: {
    at: "30m",
    labels: { instance: "a" },
    series: {
      'berth_http_request_seconds_bucket{instance="a", operation="agents.list", le="1"}': "0+90x60",
      'berth_http_request_seconds_bucket{instance="a", operation="agents.list", le="2.5"}': "0+100x60",
      'berth_http_request_seconds_bucket{instance="a", operation="agents.list", le="+Inf"}': "0+100x60",
    },
  },
  BerthConnectionsWait: {
    at: "15m",
    labels: { instance: "a", process: "api" },
    series: {
      'berth_database_wait_seconds_total{instance="a", process="api"}': "0+60x30",
      'berth_database_connections_taken_total{instance="a", process="api"}': "0+100x30",
    },
  },
  BerthModelErrors: {
    at: "30m",
    labels: { instance: "a", model: "m" },
    series: {
      'berth_model_request_seconds_count{instance="a", model="m", error="true"}': "0+5x60",
      'berth_model_request_seconds_count{instance="a", model="m", error="false"}': "0+5x60",
    },
  },
  BerthSandboxErrors: {
    at: "15m",
    labels: { instance: "a" },
    series: {
      'berth_session_incidents_total{instance="a", incident="error", reason="sandbox_error"}': "0+1x30",
    },
  },
  BerthEgressDenied: {
    at: "30m",
    labels: { instance: "a", reason: "not_allowed" },
    series: {
      'berth_session_incidents_total{instance="a", incident="egress_denied", reason="not_allowed"}':
        "0+60x60",
    },
  },
  BerthLeasesLost: {
    at: "10m",
    labels: { instance: "a" },
    series: {
      'berth_leases_lost_total{instance="a"}': "0x5 2x20",
    },
  },
  BerthRestarts: {
    at: "10m",
    labels: { instance: "a", process: "runner" },
    series: {
      'berth_process_start_seconds{instance="a", process="runner", version="1"}': "1000+60x20",
    },
  },
  BerthDiskNearlyFull: {
    at: "15m",
    labels: { instance: "a" },
    series: {
      'berth_data_directory_bytes{instance="a", state="free"}': "5x30",
      'berth_data_directory_bytes{instance="a", state="size"}': "100x30",
    },
  },
};

/** The series of a healthy installation, for an hour. */
export const HEALTHY: Readonly<Record<string, string>> = {
  'up{job="berth", instance="a"}': "1x60",
  'berth_runner_up{instance="a"}': "1x60",
  'berth_database_up{instance="a"}': "1x60",
  'berth_due_seconds{instance="a"}': "1x60",
  'berth_turn_wait_seconds_bucket{instance="a", le="0.05"}': "0+10x60",
  'berth_turn_wait_seconds_bucket{instance="a", le="+Inf"}': "0+10x60",
  'berth_http_request_seconds_count{instance="a", operation="agents.list", status="200"}': "0+90x60",
  'berth_http_request_seconds_count{instance="a", operation="agents.list", status="503"}': "0+1x60",
  'berth_http_request_seconds_bucket{instance="a", operation="agents.list", le="0.01"}': "0+100x60",
  'berth_http_request_seconds_bucket{instance="a", operation="agents.list", le="+Inf"}': "0+100x60",
  'berth_http_request_seconds_bucket{instance="a", operation="sessions.events.stream", le="10"}': "0x60",
  'berth_http_request_seconds_bucket{instance="a", operation="sessions.events.stream", le="+Inf"}':
    "0+100x60",
  'berth_database_wait_seconds_total{instance="a", process="api"}': "0+1x60",
  'berth_database_connections_taken_total{instance="a", process="api"}': "0+100x60",
  'berth_model_request_seconds_count{instance="a", model="m", error="true"}': "0+1x60",
  'berth_model_request_seconds_count{instance="a", model="m", error="false"}': "0+9x60",
  'berth_session_incidents_total{instance="a", incident="error", reason="sandbox_error"}': "1x60",
  'berth_session_incidents_total{instance="a", incident="egress_denied", reason="not_allowed"}': "0+3x60",
  'berth_leases_lost_total{instance="a"}': "2x60",
  'berth_process_start_seconds{instance="a", process="runner", version="1"}': "1000x60",
  'berth_data_directory_bytes{instance="a", state="free"}': "50x60",
  'berth_data_directory_bytes{instance="a", state="size"}': "100x60",
};
