/**
 * A guard that runs one action at a time. It drops calls meanwhile, even before the screen shows the first
 * one.
 */
export class OneAtATime {
  #underWay = false;

  begin(act: () => void): void {
    if (this.#underWay) return;
    this.#underWay = true;
    act();
  }

  /** Ends the current action. Call it whether the action succeeded or failed. */
  end(): void {
    this.#underWay = false;
  }
}
