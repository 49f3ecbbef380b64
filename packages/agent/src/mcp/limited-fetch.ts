import type { GuardedFetch } from "@berth/sandbox";

/** An answer is longer than whoever asked wants to hold. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** The same fetch, with answers of at most `longest` bytes. A longer one fails where it exceeds them, and is told. */
export function limitedFetch(
  fetch: GuardedFetch,
  longest: number,
  onExceeded: (error: AnswerTooLong) => void,
): GuardedFetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    let bytes = 0;
    const counted = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, stream) {
          bytes += chunk.length;
          if (bytes <= longest) {
            stream.enqueue(chunk);
            return;
          }
          const error = new AnswerTooLong(`An answer is longer than ${longest} bytes.`);
          stream.error(error);
          onExceeded(error);
        },
      }),
    );
    return new Response(counted, answer);
  };
}
