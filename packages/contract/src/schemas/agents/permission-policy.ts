import { z } from "zod";

/** Whether calls of a tool are run, run after a client confirms them, or denied. */
export const permissionPolicy = z.strictObject({
  type: z.enum(["always_allow", "always_ask", "always_deny"]),
});
export type PermissionPolicy = z.output<typeof permissionPolicy>;
