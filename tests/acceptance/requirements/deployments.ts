import type { Requirement } from "./requirement.ts";

const source = "issue Connected, 3";

export const deploymentRequirements: readonly Requirement[] = [
  {
    id: "deployment-crud",
    source,
    rule: "Deployments keep what sessions are created from: they are made, read, listed newest first, changed, paused and archived; tokens of their repositories are sealed and never returned; what they refer to is checked as for a session.",
  },
  {
    id: "deployment-scheduled",
    source,
    rule: "A deployment creates one session for each time of its schedule, whatever the number of services: by cron in an IANA zone, or once at a time. The session is its owner's, has its deployment_id, by which sessions are listed, and runs by itself.",
  },
  {
    id: "deployment-by-hand",
    source,
    rule: "POST …/run creates a session at once, also while the deployment is paused, and answers with the run; an archived deployment is 403.",
  },
  {
    id: "deployment-runs",
    source,
    rule: "Each run is listed with its session or its error, when its session first ended a turn by itself, the agent's version and what triggered it, for a deployment and for all, filtered by has_error and trigger_type.",
  },
  {
    id: "deployment-paused",
    source,
    rule: "A paused deployment runs nothing by its schedule, and makes up for nothing when it goes on. Five runs in a row that fail for a reason that time does not heal pause it, with the reason.",
  },
  {
    id: "deployment-bad-schedule",
    source,
    rule: "An expression or a zone that is none, a day that never comes, and a time that has passed are 400 with the field and a form that is right.",
  },
  {
    id: "deployment-shared",
    source,
    rule: "Who reads a shared deployment sees its runs, who writes it runs and pauses it, and its sessions are shared as it is. Only its owner and admins change it.",
  },
];
