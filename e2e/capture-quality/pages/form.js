/** A deep form of a single-page application: each field is controlled by React and wrapped as component libraries do. */
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

/** Boxes around a field, as layout components make them. */
const WRAPPERS = 12;

function wrapped(child) {
  return Array.from({ length: WRAPPERS }).reduce(
    (inner, _, level) => h("div", { className: `w${level}` }, inner),
    child,
  );
}

function Field({ id, label, start = "", help, error, type = "text", ...rest }) {
  const [value, setValue] = useState(start);
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const input = h("input", {
    id,
    type,
    value,
    "aria-describedby": described,
    "aria-invalid": error ? true : undefined,
    onChange: (event) => setValue(event.target.value),
    ...rest,
  });
  return wrapped(
    h(
      "div",
      { className: "field" },
      h("label", { htmlFor: id }, label),
      input,
      help && h("span", { className: "help", id: `${id}-help` }, help),
      error && h("span", { className: "error", id: `${id}-error` }, error),
    ),
  );
}

function Choice({ id, label, start, options }) {
  const [value, setValue] = useState(start);
  return wrapped(
    h(
      "div",
      { className: "field" },
      h("label", { htmlFor: id }, label),
      h(
        "select",
        { id, value, onChange: (event) => setValue(event.target.value) },
        options.map((option) => h("option", { key: option }, option)),
      ),
    ),
  );
}

function Tick({ label, start = false, disabled = false }) {
  const [on, setOn] = useState(start);
  return wrapped(
    h(
      "label",
      { className: "field" },
      label,
      h("input", { type: "checkbox", checked: on, disabled, onChange: () => setOn(!on) }),
    ),
  );
}

function Switch({ label, start }) {
  const [on, setOn] = useState(start);
  const id = label.replaceAll(" ", "-");
  return wrapped(
    h(
      "div",
      { className: "field" },
      h("span", { id }, label),
      h(
        "button",
        { type: "button", role: "switch", "aria-checked": on, "aria-labelledby": id, onClick: () => setOn(!on) },
        on ? "On" : "Off",
      ),
    ),
  );
}

function Radios({ name, label, options, start }) {
  const [value, setValue] = useState(start);
  return wrapped(
    h(
      "fieldset",
      null,
      h("legend", null, label),
      options.map((option) =>
        h(
          "label",
          { key: option },
          h("input", { type: "radio", name, checked: option === value, onChange: () => setValue(option) }),
          ` ${option} `,
        ),
      ),
    ),
  );
}

function Part({ title, children }) {
  return h("section", null, h("h2", null, title), wrapped(children));
}

function General() {
  return h(
    Part,
    { title: "General" },
    h(Field, { id: "name", label: "Gateway name", start: "edge-7", help: "Lower-case letters, digits and dashes." }),
    h(Field, { id: "owner", label: "Owner", start: "Network team" }),
    h(Field, { id: "mail", label: "Contact mail", type: "email", start: "net@", error: "This is not a mail address." }),
    h(Choice, { id: "region", label: "Region", start: "Frankfurt", options: ["Dublin", "Frankfurt", "Singapore"] }),
    h(Field, { id: "serial", label: "Serial number", start: "GW-2231-88", readOnly: true }),
    h(Radios, { name: "role", label: "Role", options: ["Primary", "Standby", "Witness"], start: "Standby" }),
  );
}

function Network() {
  return h(
    Part,
    { title: "Network" },
    h(Field, { id: "address", label: "Address", start: "10.20.30.7" }),
    h(Field, { id: "mask", label: "Prefix length", type: "number", start: "24" }),
    h(Field, { id: "mtu", label: "MTU", type: "number", start: "1460" }),
    h(Tick, { label: "Answer pings", start: true }),
    h(Tick, { label: "Allow jumbo frames" }),
    h(Tick, { label: "Hardware offload", start: true, disabled: true }),
    h(Switch, { label: "Traffic shaping", start: true }),
    h(Switch, { label: "Mirror port", start: false }),
  );
}

function Security() {
  return h(
    Part,
    { title: "Security" },
    h(Choice, { id: "tls", label: "Lowest TLS version", start: "TLS 1.3", options: ["TLS 1.2", "TLS 1.3"] }),
    h(Field, { id: "ca", label: "Certificate authority", start: "Internal CA 4" }),
    h(Field, { id: "password", label: "Management password", type: "password", start: "hunter2-not-shown" }),
    h(Field, { id: "ticket", label: "Session lifetime in minutes", type: "number", start: "45" }),
    h(Tick, { label: "Require client certificates" }),
    h(Field, { id: "allow", label: "Allowed networks", start: "10.0.0.0/8, 192.168.4.0/22" }),
  );
}

function Health() {
  return h(
    Part,
    { title: "Health checks" },
    h(Field, { id: "probe", label: "Probe path", start: "/healthz" }),
    h(Field, { id: "every", label: "Interval in seconds", type: "number", start: "15" }),
    h(Field, { id: "fails", label: "Failures until down", type: "number", start: "3" }),
    h(Choice, { id: "proto", label: "Probe protocol", start: "HTTPS", options: ["HTTP", "HTTPS", "TCP"] }),
    h(Field, { id: "note", label: "Note for operators", start: "Restart only at night" }),
  );
}

function Advanced() {
  const [open] = useState(false);
  return h(
    Part,
    { title: "Advanced" },
    h("button", { "aria-expanded": open }, "Kernel options"),
    h("div", { hidden: true }, h(Field, { id: "sysctl", label: "Hidden kernel flag", start: "secret-sysctl" })),
    h("div", { className: "closed" }, h("p", null, "Collapsed advice about kernels")),
    h(Field, { id: "tags", label: "Tags", start: "prod, edge, emea" }),
    h("p", null, "Changes are applied to all members of the cluster within a minute."),
  );
}

function App() {
  const [saved] = useState("Draft saved at 14:02");
  return h(
    "div",
    null,
    h(
      "aside",
      null,
      h(
        "nav",
        { "aria-label": "Sections" },
        ["General", "Network", "Security", "Health checks", "Advanced"].map((name) =>
          h("a", { key: name, href: `#${name}` }, name),
        ),
      ),
    ),
    h(
      "main",
      null,
      h("h1", null, "Edit gateway edge-7"),
      h("div", { role: "status" }, saved),
      h(
        "form",
        { onSubmit: (event) => event.preventDefault() },
        h(General),
        h(Network),
        h(Security),
        h(Health),
        h(Advanced),
      ),
      h(
        "div",
        { className: "actions" },
        h("button", { disabled: true }, "Save changes"),
        h("button", null, "Discard draft"),
      ),
    ),
  );
}

createRoot(document.querySelector("#root")).render(h(App));
