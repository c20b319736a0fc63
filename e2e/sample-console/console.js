/** The sample console's own script: fetches the resource of the page and shows it; links inside are client-side. */

const RESOURCE = /^\/web\/namespaces\/([\w-]+)\/(http_loadbalancers)\/([\w-]+)$/;

function valueAt(resource, path) {
  const value = path.split(".").reduce((part, name) => part?.[name], resource);
  return Array.isArray(value) ? value.join(", ") : String(value ?? "—");
}

function showFields(resource) {
  for (const element of document.querySelectorAll("[data-field]")) {
    element.textContent = valueAt(resource, element.dataset.field);
  }
  const badge = document.querySelector(".badge");
  badge.dataset.tone = resource.status.state === "Active" ? "good" : "warn";
  const notice = document.querySelector("#notice");
  notice.textContent = resource.status.notice ?? "";
  notice.hidden = resource.status.notice === undefined;
}

function showTables(resource) {
  for (const body of document.querySelectorAll("[data-table]")) {
    const columns = body.dataset.columns.split(" ");
    const rows = body.dataset.table.split(".").reduce((part, name) => part?.[name], resource) ?? [];
    body.replaceChildren(...rows.map((row) => tableRow(row, columns)));
  }
}

function tableRow(row, columns) {
  const tr = document.createElement("tr");
  for (const column of columns) {
    const td = document.createElement("td");
    if (column === "pool") {
      const link = document.createElement("a");
      link.href = `/web/namespaces/default/origin_pools/${row.pool}`;
      link.textContent = row.pool;
      td.append(link);
    } else td.textContent = Array.isArray(row[column]) ? row[column].join(", ") : String(row[column]);
    tr.append(td);
  }
  return tr;
}

async function show(path) {
  const match = RESOURCE.exec(path);
  if (match === null) return;
  const [, namespace, type, name] = match;
  const answer = await fetch(`/api/config/namespaces/${namespace}/${type}/${name}?response_format=full`);
  if (!answer.ok || location.pathname !== path) return;
  const resource = await answer.json();
  document.title = `${name} — Northwind Edge Console`;
  showFields(resource);
  showTables(resource);
  document.documentElement.dataset.shown = name;
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-spa]") : null;
  if (link === null || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  show(location.pathname);
});
document.querySelector("#edit").addEventListener("click", () => {
  document.querySelector("[name=idle_timeout]").focus();
});
document.querySelector("#settings").addEventListener("submit", (event) => event.preventDefault());
addEventListener("popstate", () => show(location.pathname));
show(location.pathname);
