// A server that ends when it is told to, and says why on standard error.
const lines = require("node:readline").createInterface({ input: process.stdin });
let grown = process.argv[2] === "grown";
const tool = (name) => ({ name, description: name, annotations: { readOnlyHint: true, openWorldHint: false }, inputSchema: { type: "object" } });
if (process.argv[2] === "now") { console.error("no licence was found"); process.exit(3); }
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => id !== undefined && console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  switch (method) {
    case "initialize": return answer({ protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true }, prompts: {} }, serverInfo: { name: "dying", version: "1" } });
    case "tools/list": return answer({ tools: [tool("die"), tool("grow"), { ...tool("live"), ...(grown && { inputSchema: { type: "object", required: ["why"] } }) }, tool("wait")] });
    case "tools/call":
      if (params.name === "die") { console.error("the disk is full"); process.exit(4); }
      if (params.name === "wait") return console.error("waiting");
      if (params.name === "grow") { grown = true; console.log(JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })); }
      return answer({ content: [{ type: "text", text: "alive" }], _meta: { pid: 1 } });
    case "notifications/cancelled": return console.error("cancelled " + params.requestId);
  }
});
