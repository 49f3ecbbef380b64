import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import { isPart, type Kind } from "./kinds.ts";
import { planCredential } from "./plan-credential.ts";
import { planMemory } from "./plan-memory.ts";
import { planObject } from "./plan-object.ts";
import { planSkill } from "./plan-skill.ts";
import { isFaulty, type Planning, type Step } from "./step.ts";

type Plan = (document: ObjectDocument, planning: Planning) => Promise<Step | Fault[]>;

const PLANS: Readonly<Record<Kind, Plan>> = {
  agent: planObject,
  environment: planObject,
  memory_store: planObject,
  vault: planObject,
  skill: planSkill,
  memory: planMemory,
  vault_credential: planCredential,
};

/**
 * Has the service check every document, and returns what would change. Changes nothing.
 * @returns steps in the order of the documents, parts of objects after all objects.
 */
export async function plan(planning: Planning): Promise<{ steps: Step[]; faults: Fault[] }> {
  const steps: Step[] = [];
  const faults: Fault[] = [];
  for (const document of planning.documents) {
    const planned = await PLANS[document.kind](document, planning);
    if (isFaulty(planned)) faults.push(...planned);
    else steps.push(planned);
  }
  const order = ({ document }: Step) => Number(isPart(document.kind));
  return { steps: steps.toSorted((one, other) => order(one) - order(other)), faults };
}
