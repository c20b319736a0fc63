/** An on/off switch. */

/** The switch; its label is its accessible name and tooltip. */
export function Switch({ on, label, set }: { on: boolean; label: string; set: (on: boolean) => void }) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={on}
      aria-label={label}
      title={label}
      onClick={() => set(!on)}
    >
      <span class="switch-knob" />
    </button>
  );
}
