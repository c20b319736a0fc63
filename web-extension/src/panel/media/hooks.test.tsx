// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { MediaAsset } from "../../media/descriptor";
import type { Opened, OpenOrder } from "../../media/library";
import { MediaLibrary } from "../../media/library";
import { MediaProvider, type MediaSource } from "./source";
import { type AssetState, useAsset } from "./use-asset";
import { type Frames, useFrames } from "./use-frames";

/** A library that a test plays: it notes what is opened, and opens or fails it. */
class PlayedLibrary extends MediaLibrary {
  readonly opened: string[] = [];
  readonly missing = new Set<string>();

  constructor() {
    super(async () => ({ ok: false, fault: "unavailable" }));
  }

  override async open({ asset }: OpenOrder): Promise<Opened> {
    this.opened.push(asset.ref);
    if (this.missing.has(asset.ref)) return { ok: false, fault: "unavailable" };
    return { ok: true, url: `blob:${asset.ref}`, blob: new Blob([]) };
  }
}

let library: PlayedLibrary;
let root: HTMLElement;

beforeEach(() => {
  library = new PlayedLibrary();
  root = document.createElement("div");
});

async function show(Part: () => null): Promise<void> {
  const value: MediaSource = { library, conversation: "key", connected: true };
  await act(async () =>
    render(
      <MediaProvider value={value}>
        <Part />
      </MediaProvider>,
      root,
    ),
  );
}

const picture = (ref: string, bytes = 10): MediaAsset => ({ ref, mimeType: "image/png", bytes });

describe("the pictures of a timeline", () => {
  const assets = ["a", "b", "c", "d", "e", "f", "g", "h"].map((ref) => picture(ref));

  it("that failed while they were fetched ahead are tried again when they are to be shown", async () => {
    let frames: Frames | undefined;
    let index = 0;
    const Part = () => {
      frames = useFrames(assets, index, true);
      return null;
    };
    const at = (now: number) => {
      index = now;
      return show(Part);
    };
    library.missing.add("c");
    await at(0);
    await at(1);
    expect(library.opened.filter((ref) => ref === "c")).toHaveLength(1);
    library.missing.clear();
    await at(2);
    expect(library.opened.filter((ref) => ref === "c")).toHaveLength(2);
    expect(frames).toMatchObject({ url: "blob:c", fault: null });
  });
});

describe("a file", () => {
  it("that is large is fetched only when somebody asks for it", async () => {
    let file: AssetState = { state: "waiting" };
    const large = picture("large", 13 * 1024 * 1024);
    const draw = () =>
      show(() => {
        [file] = useAsset(large, true);
        return null;
      });
    await draw();
    expect([file.state, library.opened]).toEqual(["unasked", []]);
    await act(async () => {
      if (file.state === "unasked") file.load();
    });
    expect(library.opened).toEqual(["large"]);
    await vi.waitFor(() => expect(file).toMatchObject({ state: "ready", asked: true }));
  });
});
