/** Description of the flag that names an organization. */
export const OF_ORGANIZATION = "the organization; default, for the token of an admin: their own";
