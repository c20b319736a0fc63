/** Plays a timeline: keeps the position, moves it with the clock, stands still while a moment is not there yet. */
import { useEffect, useState } from "preact/hooks";
import { advance, frameAt, type Timeline, untilNext } from "../../media/timeline";
import { useReducedMotion } from "./use-reduced-motion";

/** How a timeline is played. */
export interface PlaybackOptions {
  autoplay: boolean;
  loop: boolean;
  /** The row is where it can be seen. */
  active: boolean;
}

/** A timeline that plays. */
export interface Playback {
  position: number;
  index: number;
  playing: boolean;
  toggle: () => void;
  seek: (position: number) => void;
  /** Told by who draws: the moment at this index can be shown. */
  setReady: (index: number | null) => void;
}

/** Plays a timeline; with reduced motion it waits at its beginning until the person starts it. */
export function usePlayback(timeline: Timeline, { autoplay, loop, active }: PlaybackOptions): Playback {
  const reduced = useReducedMotion();
  const [playing, setPlaying] = useState(autoplay && !reduced);
  // Every step is a new object: a loop may come back to the very same position and has to go on from there.
  const [place, setPlace] = useState({ position: 0 });
  const [ready, setReady] = useState<number | null>(null);
  const index = frameAt(timeline, place.position);
  const moves = playing && active && ready === index;
  useEffect(() => {
    if (reduced) setPlaying(false);
  }, [reduced]);
  useEffect(() => {
    if (!moves) return;
    const since = performance.now();
    const step = () => {
      const next = advance(timeline, place.position, performance.now() - since, loop);
      setPlace({ position: next.position });
      if (next.ended) setPlaying(false);
    };
    const timer = setTimeout(step, untilNext(timeline, place.position));
    return () => clearTimeout(timer);
  }, [moves, place, timeline, loop]);
  const toggle = () => {
    if (!playing && place.position >= timeline.totalMs) setPlace({ position: 0 });
    setPlaying(!playing);
  };
  return { position: place.position, index, playing, toggle, seek: (position) => setPlace({ position }), setReady };
}
