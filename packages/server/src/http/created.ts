/** An answer of something that was not there before, where that is told by 201 instead of 200. */
export class Created<T> {
  readonly answer: T;

  constructor(answer: T) {
    this.answer = answer;
  }
}
