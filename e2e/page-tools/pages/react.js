/** Inputs that React controls, and a list that is drawn anew. */
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

function App() {
  const [name, setName] = useState("lb1");
  const [digits, setDigits] = useState("80");
  const [amount, setAmount] = useState("");
  const [kind, setKind] = useState("http");
  const [clicks, setClicks] = useState(0);
  const [round, setRound] = useState(0);
  return h(
    "div",
    null,
    h("label", null, "Name ", h("input", { value: name, onChange: (event) => setName(event.target.value) })),
    h(
      "label",
      null,
      "Digits ",
      // Refuses all but digits, as a controlled input can.
      h("input", { value: digits, onChange: (event) => /^\d*$/.test(event.target.value) && setDigits(event.target.value) }),
    ),
    h(
      "label",
      null,
      "Amount ",
      h("input", {
        value: amount,
        onChange: (event) => setAmount(Number(event.target.value.replaceAll(",", "")).toLocaleString("en")),
      }),
    ),
    h(
      "label",
      null,
      "Kind ",
      h(
        "select",
        { value: kind, onChange: (event) => setKind(event.target.value) },
        h("option", { value: "http" }, "HTTP"),
        h("option", { value: "tcp" }, "TCP"),
      ),
    ),
    h("button", { onClick: () => setClicks(clicks + 1) }, "Count"),
    h("button", { onClick: () => setRound(round + 1) }, "Redraw"),
    h("ul", null, ["one", "two"].map((row) => h("li", { key: `${round}${row}` }, h("button", null, `Edit ${row}`)))),
    h("p", { id: "state" }, JSON.stringify({ name, digits, amount, kind, clicks })),
  );
}

createRoot(document.getElementById("root")).render(h(App));
