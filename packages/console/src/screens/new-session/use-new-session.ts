import { APIError } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { berth } from "../../api/client.ts";
import { keepDraft, keptDraft } from "../../ui/use-draft.ts";
import { draftOf, EMPTY_FORM, type Form, formLike, placeOf, readDraft } from "./form.ts";
import {
  type CloneState,
  createSession,
  followClones,
  replaceSecret,
  type Started,
  sendTask,
} from "./start-session.ts";

const DRAFT = "new session";

/**
 * Returns the form of a new session: restored from its draft, or filled like another session. Do not show the
 * form before `isFilled`, or the other session's values would overwrite typed ones. Values in `chosen`, which
 * the address names, are set from the start.
 */
export function useForm(like: string | undefined, chosen: Partial<Form>) {
  const draft = like === undefined ? DRAFT : `${DRAFT} like ${like}`;
  const [form, setForm] = useState<Form>(() => ({ ...readDraft(keptDraft(draft)), ...chosen }));
  const [isFilled, setFilled] = useState(like === undefined || keptDraft(draft) !== "");
  const { data, error } = useQuery({
    queryKey: ["sessions", like, "like"],
    queryFn: async ({ signal }) => {
      const [session, events] = await Promise.all([
        berth.sessions.get(like ?? "", { signal }),
        berth.sessions.events.list(like ?? "", { types: ["user.message"], limit: 1 }, { signal }),
      ]);
      const [first] = events.data;
      return formLike(session, first?.type === "user.message" ? first : undefined);
    },
    enabled: !isFilled,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (isFilled || (data === undefined && error === null)) return;
    setFilled(true);
    if (data !== undefined) setForm(data);
  }, [data, error, isFilled]);
  function change(part: Partial<Form>) {
    setForm((before) => {
      const next = { ...before, ...part };
      keepDraft(draft, draftOf(next));
      return next;
    });
  }
  const reset = () => {
    keepDraft(draft, "");
    setForm(EMPTY_FORM);
  };
  return { form, change, reset, error, isFilled };
}

export type Phase =
  | { step: "form" }
  | { step: "creating" }
  | { step: "cloning"; started: Started; clones: ReadonlyMap<string, CloneState> };

/** Creates the session, waits for its repositories, sends the task, and opens the session. */
export function useStart(form: Form, reset: () => void) {
  const navigate = useNavigate();
  const [phase, setPhase] = useState<Phase>({ step: "form" });
  const [error, setError] = useState<unknown>(null);
  const abort = useRef(new AbortController());
  /** Guards against starting a step twice, even before the screen shows that it has started. */
  const underWay = useRef({ start: false, task: false });
  useEffect(() => () => abort.current.abort(), []);

  async function start() {
    if (underWay.current.start) return;
    underWay.current.start = true;
    setError(null);
    setPhase({ step: "creating" });
    try {
      const started = await createSession(form);
      if (started.resources.size === 0) return await goOn(started);
      await cloneAll(started);
    } catch (failure) {
      setError(failure);
      setPhase({ step: "form" });
    } finally {
      underWay.current.start = false;
    }
  }
  async function cloneAll(started: Started) {
    abort.current = new AbortController();
    const { signal } = abort.current;
    setPhase({ step: "cloning", started, clones: new Map() });
    await followClones(started, (clones) => setPhase({ step: "cloning", started, clones }), signal);
    if (!signal.aborted) await goOn(started);
  }
  /** Sends the task, in whatever state the repositories are, and opens the session. */
  async function goOn({ sessionId }: Started) {
    if (underWay.current.task) return;
    underWay.current.task = true;
    abort.current.abort();
    try {
      await sendTask(sessionId, form.task);
      reset();
      await navigate({ to: "/sessions/$sessionId", params: { sessionId } });
    } finally {
      underWay.current.task = false;
    }
  }
  async function tryAgain(key: string) {
    if (phase.step !== "cloning") return;
    const repository = form.repositories.find((one) => one.key === key);
    const resourceId = phase.started.resources.get(key);
    if (repository === undefined || resourceId === undefined) return;
    setError(null);
    const { sessionId } = phase.started;
    const { connectionId, kind, secret } = repository;
    await (connectionId === null
      ? replaceSecret(sessionId, resourceId, kind, secret)
      : berth.sessions.resources.retry(sessionId, resourceId)
    ).catch(setError);
  }
  /** Goes back to the form and deletes the session that was created for it. */
  async function discard() {
    if (phase.step !== "cloning") return;
    abort.current.abort();
    const { sessionId } = phase.started;
    setPhase({ step: "form" });
    await berth.sessions.terminate(sessionId).catch(() => undefined);
    await berth.sessions.delete(sessionId).catch(() => undefined);
  }
  const skip = async () => {
    if (phase.step === "cloning") await goOn(phase.started).catch(setError);
  };
  const place = error instanceof APIError ? placeOf(error.param, form) : "";
  /** Returns the service's error for a field of the form; null if it has none. */
  const faultAt = (field: string) => (place === field && error instanceof APIError ? error.message : null);
  return { phase, error, faultAt, start, skip, tryAgain, discard };
}
