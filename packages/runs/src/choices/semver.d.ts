/** The functions of semver that are used. The package has no types of its own. */
declare module "semver" {
  /** Versions have three numbers; ranges are in the notation of npm. Wrong ones are false or null, except below. */
  const semver: {
    validRange(range: string, options?: { loose?: boolean }): string | null;
    satisfies(version: string, range: string): boolean;
    /** @throws TypeError for a wrong range. */
    intersects(one: string, other: string): boolean;
    /** @throws TypeError for a wrong range. */
    subset(one: string, other: string): boolean;
    /** @throws TypeError for a wrong range. */
    minVersion(range: string): { version: string; major: number } | null;
  };
  export = semver;
}
