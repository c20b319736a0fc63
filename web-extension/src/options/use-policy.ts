/** The managed policy as a value that follows its changes. */
import { useState } from "preact/hooks";
import { loadPolicy, type Policy } from "../page-tools/policy";
import { useStored } from "./use-stored";

/** The policy in force; null until it was read. */
export function usePolicy(): Policy | null {
  const [policy, setPolicy] = useState<Policy | null>(null);
  useStored(() => {
    loadPolicy().then(setPolicy, () => undefined);
  });
  return policy;
}
