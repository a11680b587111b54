// Fetches the list of a server once, with the official TypeScript SDK, and never again: it opens a page, fills, uploads,
// clicks, answers a dialog, downloads, works in two tabs and runs script. The SDK knows only the tools of that list.
// Prints the names of the list, how often the server announced another one, and what each call said, as one JSON object.
// Usage: node listonce.mjs SITE FILE PROGRAM FLAG…
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [site, file, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "listonce", version: "1" });
let announced = 0;
client.setNotificationHandler(ToolListChangedNotificationSchema, () => { announced++; });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const { tools } = await client.listTools();
const names = tools.map((tool) => tool.name);
const said = {};
const call = async (step, name, args) => {
  if (!names.includes(name)) throw new Error(`${name} is not in the list`);
  const result = await client.callTool({ name, arguments: args });
  said[step] = result.content.filter((c) => c.type === "text").map((c) => c.text).join("\n");
};
await call("open", "navigate", { url: `${site}/` });
await call("fill", "form_input", { query: "Name", value: "Ada" });
await call("upload", "file_upload", { query: "Picture", filePaths: [file] });
await call("click", "interact", { query: "Count" });
await call("dialog opens", "interact", { query: "Ask" });
await call("read in the dialog", "read_page", {});
await call("dialog", "dialog", { accept: true });
await call("download opens", "interact", { query: "Report" });
await call("download", "downloads", { action: "wait" });
await call("second tab", "tabs_create", { url: `${site}/second` });
await call("tabs", "tabs_context", {});
const [, first] = said.tabs.match(/"tabId":"(t\d+)","url":"[^"]*\/"/) ?? [];
await call("first tab", "read_page", { tabId: first });
await call("script", "javascript_tool", { tabId: first, code: "document.querySelector('output').value + ':' + document.querySelector('[type=file]').files[0].name" });
await call("expand", "expand_tools", { name: "debugger_enable" });
await call("debugger", "navigate", { url: `${site}/` });
console.log(JSON.stringify({ names, announced, said }));
await client.close();
