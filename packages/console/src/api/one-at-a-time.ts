/** Lets one act be under way: what is asked for meanwhile is dropped, also before the screen has shown what was asked for first. */
export class OneAtATime {
  #underWay = false;

  begin(act: () => void): void {
    if (this.#underWay) return;
    this.#underWay = true;
    act();
  }

  /** To be called when it is over, whatever came of it. */
  end(): void {
    this.#underWay = false;
  }
}
