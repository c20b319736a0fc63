/** The composer's text and page switch, kept per conversation while the person works elsewhere. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Draft, draftKey, EMPTY, readDraft, writeDraft } from "./drafts";

const WRITE_AFTER_MS = 300;

interface Place {
  /** Counts changes to another conversation. */
  serial: number;
  conversation: string | undefined;
  windowId: number;
}

/** The draft of the conversation that is shown, and how to change it. */
export function useDraft({ serial, conversation, windowId }: Place): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const key = draftKey(conversation, windowId);
  const shown = useRef({ key, serial, draft });
  const edits = useRef(0);
  useEffect(() => {
    edits.current = 0;
    // What was typed before the stored draft arrived is newer than it.
    const load = (stored: Draft) => edits.current === 0 && setDraft(stored);
    readDraft(key).then(load, () => undefined);
    // `shown` still holds the old conversation here: it is renewed after this.
    return () => keep(shown.current.key, shown.current.draft);
  }, [serial]);
  useEffect(() => {
    const before = shown.current;
    shown.current = { key, serial, draft };
    // The conversation got its name: the draft goes with it, and none stays behind for the next new one.
    if (before.key !== key && before.serial === serial) keep(before.key, EMPTY);
    if (edits.current === 0) return;
    const timer = setTimeout(() => keep(key, draft), WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [key, serial, draft]);
  const change = (part: Partial<Draft>) => {
    edits.current += 1;
    setDraft((before) => ({ ...before, ...part }));
  };
  return [draft, change];
}

/** A draft that cannot be kept is still in the composer; losing the copy harms nobody. */
function keep(key: string, draft: Draft): void {
  writeDraft(key, draft).catch(() => undefined);
}
