/** The requests that the server answers, written out from its own description. */

import { $, fill, h } from "./dom.js";

const last = (reference) => reference.split("/").at(-1);

/** The type of a field in words, with links to the parts that are described below. */
function type(schema) {
  if (!schema) return ["anything"];
  if (schema.$ref) return [h("a", { href: `#${last(schema.$ref)}` }, last(schema.$ref))];
  if (schema.anyOf) return schema.anyOf.flatMap((one, i) => (i ? [" or ", ...type(one)] : type(one)));
  if (schema.enum) return [schema.enum.map((one) => JSON.stringify(one)).join(", ")];
  if (schema.type === "array") return ["list of ", ...type(schema.items)];
  if (schema.type === "object" && schema.additionalProperties)
    return ["for each name ", ...type(schema.additionalProperties)];
  const { minimum: low, maximum: high } = schema;
  const bounds = low === undefined && high === undefined ? "" : ` ${low ?? ""} to ${high ?? ""}`;
  return [`${schema.type ?? "anything"}${bounds}`];
}

/** A text in which `words` are code. */
const prose = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

function fields(schema) {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, h("code", {}, name)),
      h("td", {}, type(field)),
      h("td", {}, field.description ?? "", schema.required?.includes(name) ? "" : " may be left out"),
    ),
  );
  return h("table", { class: "tally prose-table" }, h("tbody", {}, rows));
}

function request([path, methods]) {
  return Object.entries(methods).map(([method, told]) => {
    const body = told.requestBody?.content["application/json"]?.schema;
    const answer = told.responses["200"]?.content?.["application/json"]?.schema;
    return h(
      "section",
      {},
      h("h3", {}, h("code", {}, `${method.toUpperCase()} ${path}`)),
      h("p", {}, prose(told.description ?? told.summary)),
      body ? h("p", { class: "help" }, "asks with ", type(body)) : null,
      answer ? h("p", { class: "help" }, "answers with ", type(answer)) : null,
    );
  });
}

const told = await (await fetch("openapi.json")).json();
fill($("paths"), Object.entries(told.paths).flatMap(request));
fill(
  $("schemas"),
  Object.entries(told.components.schemas).map(([name, schema]) =>
    h("section", { id: name }, h("h3", {}, name), h("p", {}, prose(schema.description ?? "")), fields(schema)),
  ),
);
