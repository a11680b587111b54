// Lists the tools of a server and makes calls that it refuses, with the official TypeScript SDK, which validates structured
// content against the schemas of the list. Prints the code of each refusal, or the error of the SDK, as one JSON object.
// Usage: node refusal.mjs PROGRAM FLAG…
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "sdk", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const { tools } = await client.listTools();
const codes = {};
for (const tool of tools) {
  try {
    const result = await client.callTool({ name: tool.name, arguments: { no_such_argument: 1 } });
    const refusal = result._meta?.refusal ?? result.structuredContent;
    codes[tool.name] = result.isError && result.content[0].text.startsWith(refusal?.code) ? refusal.code : JSON.stringify(result);
  } catch (error) {
    codes[tool.name] = String(error);
  }
}
console.log(JSON.stringify({ codes, schemas: tools.filter((tool) => tool.outputSchema).map((tool) => tool.name) }));
await client.close();
