/** A response body that is JSON text already and is sent as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A response body with status 201 instead of 200, because the object did not exist before. */
export class Created<T> {
  readonly body: T;

  constructor(body: T) {
    this.body = body;
  }
}
