/** Device names, which Windows finds in every directory, also with an extension. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ ]*(?:$|[.:])/i;
/**
 * Characters that Windows does not allow in names, including separators of paths, drives and streams. Windows
 * drops trailing dots and spaces.
 */
const NOT_ON_WINDOWS = /[\u0000-\u001f<>:"/\\|?*]|[. ]$/;

/**
 * Returns whether a foreign name, joined to a directory, is one file or directory in it on this machine. On
 * Windows `..\x`, `C:x`, `x:stream` and `nul` are not, though a sandbox may have files of these names.
 */
export function isLocalName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) return false;
  return platform !== "win32" || !(DEVICES.test(name) || NOT_ON_WINDOWS.test(name));
}
