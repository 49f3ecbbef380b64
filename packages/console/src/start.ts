// Runs before the console, and loads the page anew if something that the console starts with does not arrive: browsers do not ask for it
// again by themselves.

const TRIES = "berth.start.tries";
/** Waits before the first, second, … time in a row, in milliseconds. Then the page's own words stay, with a link. */
const AGAIN_AFTER_MS = [200, 1_000, 2_000];
let isMissed = false;

// Scripts of the page wait for its styles, which may have failed before this one.
if (!Array.from(document.styleSheets).every(hasArrived)) loadAnew();
addEventListener("error", ({ target }) => isPart(target) && isLoading() && loadAnew(), { capture: true });
addEventListener("load", () => {
  if (!isMissed) sessionStorage.removeItem(TRIES);
});

/** What did not arrive has a sheet that nobody may read. */
function hasArrived(sheet: CSSStyleSheet): boolean {
  try {
    return sheet.cssRules.length > 0;
  } catch {
    return false;
  }
}

function isLoading(): boolean {
  return document.readyState !== "complete";
}

function isPart(target: EventTarget | null): boolean {
  if (target instanceof HTMLLinkElement) return target.rel === "stylesheet";
  return target instanceof HTMLScriptElement;
}

function loadAnew(): void {
  if (isMissed) return;
  isMissed = true;
  const tries = Number(sessionStorage.getItem(TRIES));
  sessionStorage.setItem(TRIES, String(tries + 1));
  const wait = AGAIN_AFTER_MS[tries];
  if (wait !== undefined) setTimeout(() => location.reload(), wait);
}
