// Runs before the console. Reloads the page if a file that the console starts with fails to load, since
// browsers do not retry by themselves.

const TRIES = "berth.start.tries";
/**
 * Milliseconds to wait before each reload in a row. After the last one the page shows its own text, with a
 * link.
 */
const AGAIN_AFTER_MS = [200, 1_000, 2_000];
let isMissed = false;

// Scripts wait for style sheets, so one of these may have failed before this script ran.
if (!Array.from(document.styleSheets).every(hasArrived)) loadAnew();
addEventListener("error", ({ target }) => isPart(target) && isLoading() && loadAnew(), { capture: true });
addEventListener("load", () => {
  if (!isMissed) sessionStorage.removeItem(TRIES);
});

/** Whether a style sheet has loaded. Reading the rules of a failed one throws. */
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
