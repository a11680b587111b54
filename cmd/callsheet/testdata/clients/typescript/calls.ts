// Calls tools of a running server with the generated client, and reads its refusals.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallsheetClient, RefusalError, type Refusal, type Result } from "callsheet-client";

const [program = "", site = "", state = ""] = process.argv.slice(2);
const sdk = new Client({ name: "test", version: "1" });
const env = Object.fromEntries(Object.entries(process.env).filter((e): e is [string, string] => e[1] !== undefined));
await sdk.connect(new StdioClientTransport({ command: program, args: ["serve", "--state-dir", state, "--all-tools"], env }));
const c = new CallsheetClient(sdk);

const calls: Array<[string, () => Promise<Result>]> = [
  ["", () => c.navigate({ url: `${site}/form.html` })],
  ["Send order", () => c.readPage({ mode: "interactive", max_bytes: 4000 })],
  ["Password", () => c.find({ query: "password field", limit: 3 })],
  ["", () => c.fillForm({ fields: [{ query: "Name", value: "Ada" }, { query: "Gift", value: "true" }] })],
  ["", () => c.formInput({ query: "Size", value: "Large" })],
  ["name", () => c.queryDOM({ method: "css", selector: "input", multiple: true })],
  ["Send order", () => c.inspect({ query: "Send order" })],
  ["<form", () => c.pageContent({ selector: "form" })],
  ["Submitted", () => c.interact({ query: "Send order", action: "click" })],
  ["Thanks", () => c.javascriptTool({ code: "document.querySelector('h1').textContent" })],
  ["", () => c.waitFor({ type: "selector", value: "h1", visible: true })],
  ["t2", () => c.tabsCreate({ url: `${site}/acting.html` })],
  ["Acting", () => c.tabsContext()],
  ["", () => c.pageReload({ ignoreCache: true })],
  ["", () => c.lightweightScroll({ direction: "down", amount: 200 })],
  ["", () => c.computer({ action: "scroll", coordinate: [200, 200] })],
  ["", () => c.tabsClose({ tabIds: ["t2"] })],
  ["", () => c.cookies({ action: "set", name: "taste", value: "plain" })],
  ["", () => c.storage({ storageType: "local", action: "set", key: "k", value: "v" })],
  ["", () => c.emulateDevice({ width: 400, height: 700, scale: 1.5 })],
  ["", () => c.performanceMetrics()],
  ["navigate", () => c.ocJournal({ action: "recent", count: 50 })],
  ["", () => c.ocConnectionHealth()],
  ["", () => c.expandTools({ tier: "2" })],
];
for (const [want, call] of calls) {
  const result = await call();
  assert.ok(result.text.includes(want), `${call}: ${result.text}`);
}
const picture = await c.pageScreenshot({ format: "jpeg" });
assert.equal(picture.content.at(-1)?.type, "image");

const { value } = await c.tabsContext();
assert.equal(value.tabs?.length, value.tabCount);
assert.equal(value.tabs?.[0]?.title, "Submitted");

async function refused(call: Promise<Result>): Promise<{ refusal: Refusal; error: RefusalError }> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof RefusalError, String(error));
    return { refusal: error.refusal, error };
  }
  throw new Error("the call is not refused");
}

const missing = await refused(c.fillForm({ fields: [{ query: "zzz qqq", value: "x" }], waitForMs: 0 }));
assert.equal(missing.error.refusalClass, "not_found");
assert.ok(missing.refusal.code === "NOT_FOUND" && missing.refusal.problems?.length === 1, missing.error.message);
const invalid = await refused(c.readPage({ max_bytes: 2 ** 30 }));
assert.ok(invalid.refusal.code === "INVALID_ARGUMENTS" && invalid.refusal.violations?.length === 1, invalid.error.message);
const failed = await refused(c.navigate({ url: "http://127.0.0.1:1/" }));
assert.equal(failed.refusal.code, "NAVIGATION_FAILED");

await sdk.close();
console.log(`${calls.length + 1} tools`);
