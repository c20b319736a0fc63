/** Access to sites, asked for one at a time and only when a person pressed a button. */

/** The match pattern for everything on one origin. */
export function patternOf(origin: string): string {
  // Match patterns have no port: access to a host covers all of its ports.
  const url = URL.parse(origin);
  return url === null ? `${origin}/*` : `${url.protocol}//${url.hostname}/*`;
}

/** Asks for lasting access to an origin; must be called directly from a press. */
export async function requestSite(origin: string): Promise<boolean> {
  try {
    return await chrome.permissions.request({ origins: [patternOf(origin)] });
  } catch {
    // The browser refuses origins that no extension may read.
    return false;
  }
}
