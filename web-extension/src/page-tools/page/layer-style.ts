/** How our drawings look. Two rings, one light and one dark, are seen on any page; texts bring their own ground. */
export const CSS = `
:host { color-scheme: light dark; }
* { box-sizing: border-box; }
.outline {
  position: fixed; pointer-events: none; border-radius: 6px;
  box-shadow: 0 0 0 2px #fff, 0 0 0 4.5px #5b3df5, 0 0 0 6px rgb(255 255 255 / .85);
}
.callout {
  position: fixed; pointer-events: none; max-width: min(320px, calc(100vw - 16px)); padding: 8px 12px; border-radius: 8px;
  border: 1px solid #5b3df5; background: #fff; color: #1b1830; box-shadow: 0 4px 16px rgb(0 0 0 / .28);
  font: 400 14px/1.45 system-ui, sans-serif; white-space: pre-wrap; overflow-wrap: anywhere; text-align: start;
}
.cover { position: fixed; pointer-events: none; background: #26233a; forced-color-adjust: none; }
.badge {
  position: fixed; inset-block-start: 12px; inset-inline-end: 12px; display: flex; align-items: center; gap: 8px;
  max-width: min(420px, calc(100vw - 24px)); padding: 6px 6px 6px 12px; border-radius: 999px; pointer-events: auto;
  border: 1px solid #5b3df5; background: #fff; color: #1b1830; box-shadow: 0 4px 16px rgb(0 0 0 / .28);
  font: 400 13px/1.4 system-ui, sans-serif;
}
.badge b { font-weight: 650; }
.badge span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.badge button {
  all: unset; box-sizing: border-box; flex: none; min-height: 28px; padding: 3px 12px; border-radius: 999px; cursor: pointer;
  background: #5b3df5; color: #fff; font: 600 13px/1.6 system-ui, sans-serif; text-align: center;
}
.badge button:hover { background: #4527e0; }
.badge button:focus-visible { outline: 2px solid #1b1830; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  .callout, .badge { background: #1f1b33; color: #f1eeff; border-color: #a596ff; }
  .badge button:focus-visible { outline-color: #f1eeff; }
}
@media (forced-colors: active) {
  .outline { outline: 3px solid Highlight; }
  .badge button { border: 1px solid ButtonText; }
}
@media print { :host { display: none !important; } }
`;
