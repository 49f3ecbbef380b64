import type { SecretForm } from "./secret-forms.ts";

/** Forms that have their beginning in common, up to the depth of the trie, in the order of their units. */
export interface LongForms {
  forms: readonly SecretForm[];
  /** See `SecretForm.wholly`, which is the same for all of them. */
  wholly: boolean;
}

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

/** Of the forms, those that a text has in common with up to some unit: as they are in order, a range of them. */
export class Candidates {
  readonly of: LongForms;
  #from = 0;
  #to: number;
  #next: number;

  /** @param known how many units of each form were found. */
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

  /** How many units were found. */
  get found(): number {
    return this.#next;
  }

  isEmpty(): boolean {
    return this.#from >= this.#to;
  }

  /** Leaves those that go on with the unit. Returns whether one of them ends with it, and so was found. */
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
