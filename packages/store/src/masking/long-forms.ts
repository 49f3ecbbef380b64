import type { SecretForm } from "./secret-forms.ts";

/** Forms that share their beginning, up to the depth of the trie, ordered by their units. */
export interface LongForms {
  forms: readonly SecretForm[];
  /** Whether the forms are `SecretForm.wholly`, which is the same for all of them. */
  wholly: boolean;
}

/** Groups forms by `wholly`, and sorts each group. */
export function longForms(forms: readonly SecretForm[]): LongForms[] {
  return [true, false].flatMap((wholly) => {
    const some = forms.filter((form) => form.wholly === wholly);
    return some.length === 0 ? [] : [{ wholly, forms: some.toSorted(compare) }];
  });
}

function compare({ units: one }: SecretForm, { units: other }: SecretForm): number {
  const shorter = Math.min(one.length, other.length);
  for (let index = 0; index < shorter; index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The forms that still match a text up to some unit. Since the forms are ordered, they are a range. */
export class Candidates {
  readonly of: LongForms;
  #from = 0;
  #to: number;
  #next: number;

  /** @param known Number of units of each form that were found. */
  constructor(of: LongForms, known: number) {
    this.of = of;
    this.#to = of.forms.length;
    this.#next = known;
  }

  copy(): Candidates {
    const copy = new Candidates(this.of, this.#next);
    copy.#from = this.#from;
    copy.#to = this.#to;
    return copy;
  }

  /** Number of units that were found. */
  get found(): number {
    return this.#next;
  }

  isEmpty(): boolean {
    return this.#from >= this.#to;
  }

  /**
   * Keeps the forms that continue with the unit. Returns whether one of them ends with it, and so was found.
   */
  narrow(unit: number): boolean {
    this.#from = this.#firstFrom((one) => one >= unit);
    this.#to = this.#firstFrom((one) => one > unit);
    this.#next += 1;
    const begin = this.#from;
    while (!this.isEmpty() && this.of.forms[this.#from]?.units.length === this.#next) this.#from += 1;
    return this.#from > begin;
  }

  #firstFrom(holds: (unit: number) => boolean): number {
    let [from, to] = [this.#from, this.#to];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (holds(this.of.forms[middle]?.units[this.#next] ?? 0)) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
