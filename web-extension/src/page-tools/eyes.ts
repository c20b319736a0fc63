/** What page tools use of the browser besides capture. */
import { browserFrames } from "./frames";
import { loadPolicy } from "./policy";
import { browserCamera } from "./screenshot";
import type { PageWorld } from "./tool";

/** The part of the world that the bridge is given; capture comes with its page reader. */
export type PageEyes = Pick<PageWorld, "frames" | "camera" | "policy">;

/** The browser itself. */
export const browserEyes: PageEyes = { frames: browserFrames, camera: browserCamera, policy: loadPolicy };
