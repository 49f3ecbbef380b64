import type { V1Pod, Watch } from "@kubernetes/client-node";
import { PodLostError } from "../interface/errors.ts";

/**
 * Watches a pod until `seen` returns a value other than null, and returns that value. Returns null when the
 * watch ended before that.
 *
 * @throws what `seen` throws, and `PodLostError` when the pod is deleted.
 */
export async function watchPod<T>(
  watch: Watch,
  { namespace, name }: { namespace: string; name: string },
  abort: AbortSignal,
  seen: (pod: V1Pod) => T | null,
): Promise<T | null> {
  const result = Promise.withResolvers<T | null>();
  const look = (type: string, pod: V1Pod) => {
    if (type === "DELETED") return result.reject(new PodLostError("the pod was removed"));
    try {
      const found = seen(pod);
      if (found !== null) result.resolve(found);
    } catch (error) {
      result.reject(error);
    }
  };
  const controller = await watch.watch(
    `/api/v1/namespaces/${namespace}/pods`,
    { fieldSelector: `metadata.name=${name}` },
    look,
    () => result.resolve(null),
  );
  const stop = () => result.resolve(null);
  abort.addEventListener("abort", stop, { once: true });
  if (abort.aborted) stop();
  try {
    return await result.promise;
  } finally {
    abort.removeEventListener("abort", stop);
    controller.abort();
  }
}
