import { z } from "zod";
import { absolutePathFault } from "../../conventions/absolute-path.ts";

/** Where a memory lies in its store, and below the store's mount in a session. Case counts. */
export const memoryPath = z
  .string()
  .superRefine((path, context) => {
    const message = absolutePathFault(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ description: "Absolute path in the store, such as `/notes/a.md`.", maxLength: 1024 });
