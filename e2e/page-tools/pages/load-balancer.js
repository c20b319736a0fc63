/** The part of the form that React controls. */
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

function Port() {
  const [port, setPort] = useState("443");
  return h(
    "div",
    null,
    h("label", null, "Port ", h("input", { value: port, onChange: (event) => setPort(event.target.value) })),
    h("output", { id: "state" }, `React holds ${port}`),
  );
}

createRoot(document.getElementById("root")).render(h(Port));
