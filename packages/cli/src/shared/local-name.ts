/** Devices, which Windows finds in every directory, also by names with an ending. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ ]*(?:$|[.:])/i;
/** Separators, those of drives and streams, and what Windows has in no name; at the end it drops dots and blanks. */
const NOT_ON_WINDOWS = /[\u0000-\u001f<>:"/\\|?*]|[. ]$/;

/**
 * Whether a name that came from elsewhere is one file or directory in the directory that it is joined to, on this machine. On Windows
 * `..\x`, `C:x`, `x:stream` and `nul` are not, though a sandbox may have files of these names.
 */
export function isLocalName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) return false;
  return platform !== "win32" || !(DEVICES.test(name) || NOT_ON_WINDOWS.test(name));
}
