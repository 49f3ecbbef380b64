/** Data of a response, with the HTTP response itself. */
export interface WithResponse<T> {
  data: T;
  response: Response;
  /** The server's `x-request-id`, with which operators find the request in their logs; null if absent. */
  requestId: string | null;
}

/** A promise of the data that also gives access to the HTTP response. The request has already been sent. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

export function apiPromise<T>(pending: Promise<{ data: T; response: Response }>): ApiPromise<T> {
  const data = pending.then((result) => result.data);
  const withResponse = () => {
    data.catch(() => undefined); // The returned promise rejects instead.
    return pending.then(({ data, response }) => ({
      data,
      response,
      requestId: response.headers.get("x-request-id") ?? response.headers.get("request-id"),
    }));
  };
  return Object.assign(data, { withResponse });
}
