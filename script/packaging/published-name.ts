/**
 * The name of the npm package with the service and the command line. `berth` itself belongs to somebody else
 * on npm; the scope is that of the repository's packages. The installed program is `berth`.
 */
export const PUBLISHED_NAME = "@berth/berth";
