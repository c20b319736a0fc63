/** The icons, drawn as strokes in the colour of the text around them. Decoration only: the name stands beside them. */

const PATHS = {
  history: "M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2.5 5.7M2.5 2.5v3.2h3.2M8 5v3.2l2.2 1.3",
  plus: "M8 3v10M3 8h10",
  more: "M3.500 8h1M7.500 8h1M11.500 8h1",
  close: "M4 4l8 8M12 4l-8 8",
  send: "M8 13V3.5M4 7.5l4-4 4 4",
  stop: "M4.5 4.5h7v7h-7z",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  check: "M3 8.5l3.2 3L13 4.5",
  cross: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  again: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9l1.6 1.6M13.5 2.5v3.2h-3.2",
  edit: "M10.5 3l2.5 2.5L6 12.5l-3 .5.5-3L10.5 3z",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9M6.7 7v4M9.3 7v4",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2",
  settings: "M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3",
  down: "M8 3v9.5M4 8.5l4 4 4-4",
  chevron: "M5 6.5l3 3 3-3",
  right: "M6.5 5l3 3-3 3",
  page: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  pin: "M8 10v4M5 10h6l-1-3V2.5H6V7z",
  tool: "M10 2.5a3.5 3.5 0 0 0-3.2 4.9L2.5 11.700v1.800h1.800l4.300-4.300A3.500 3.500 0 0 0 13.300 5L11 7.200 8.800 5 11 2.700z",
  warning: "M8 2.5l6 11H2zM8 6.5v3.2M8 11.7v.01",
  model:
    "M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14",
  pointer: "M4.500 2.500l8.500 5.200-3.700.900L11.500 13l-1.900.900-2.200-4.400L4.500 12z",
  keyboard: "M2 4.500h12v7.500H2zM4.500 7h.01M7 7h.01M9.500 7h.01M11.500 7h.01M5 9.500h6",
  camera:
    "M2.500 5h2.700l1-1.500h3.600l1 1.500h2.700v7.500h-11zM8 11a2.300 2.300 0 1 0 0-4.600A2.300 2.300 0 0 0 8 11z",
  pen: "M3 13l.700-2.800 6-6 2.100 2.100-6 6zM9.200 13h4",
  clock: "M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM8 5v3.200l2 1.300",
  list: "M6.500 4h7M6.500 8h7M6.500 12h7M3 4h.01M3 8h.01M3 12h.01",
  scroll: "M8 2.500v11M5 5.500l3-3 3 3M5 10.500l3 3 3-3",
  go: "M2.500 8h10M8.500 4l4 4-4 4",
  data: "M6 3c-1.500 0-2 .700-2 2v1.500C4 7.500 3.500 8 2.500 8 3.500 8 4 8.500 4 9.500V11c0 1.300.500 2 2 2M10 3c1.500 0 2 .700 2 2v1.500c0 1 .500 1.500 1.500 1.500-1 0-1.500.500-1.500 1.500V11c0 1.300-.500 2-2 2",
  image: "M2.500 3.500h11v9h-11zM2.500 11l3.200-3.200 2.600 2.600 2-2 3.200 3.100M10.500 6.500h.01",
  minus: "M4 8h8",
  play: "M5 3.500l7.500 4.500L5 12.500z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  save: "M8 2.500v8M4.500 7L8 10.500 11.500 7M3 13.500h10",
  grow: "M9.500 2.500h4v4M6.500 13.500h-4v-4M13.500 2.500l-4.500 4.500M2.500 13.500L7 9",
  link: "M9 3h4v4M13 3L7.500 8.500M11 9.500v3.500H3V5h3.500",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** An icon of the size of the text. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
