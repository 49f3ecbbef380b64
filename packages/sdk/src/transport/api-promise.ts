/** What came, with the HTTP answer that carried it. */
export interface WithResponse<T> {
  data: T;
  response: Response;
  /** The server's `x-request-id`: name it when you ask an operator. */
  requestId: string | null;
}

/** A promise of the data that can also tell of the HTTP answer. The request is on its way already. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

export function apiPromise<T>(pending: Promise<{ data: T; response: Response }>): ApiPromise<T> {
  const data = pending.then((answered) => answered.data);
  const withResponse = () => {
    data.catch(() => undefined); // the caller hears of a failure by the promise that is returned here
    return pending.then(({ data, response }) => ({
      data,
      response,
      requestId: response.headers.get("x-request-id") ?? response.headers.get("request-id"),
    }));
  };
  return Object.assign(data, { withResponse });
}
