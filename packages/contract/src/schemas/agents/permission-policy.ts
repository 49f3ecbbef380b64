import { z } from "zod";

/** Whether calls of a tool run, run after a client confirms them, or are denied. */
export const permissionPolicy = z.strictObject({
  type: z.enum(["always_allow", "always_ask", "always_deny"]),
});
export type PermissionPolicy = z.output<typeof permissionPolicy>;
