// Each construct of types, in the client of gen/emit/golang/testdata/types.
import { Level, type Channel, type XClient } from "constructs-client";

export async function right(c: XClient): Promise<string> {
  const hook: Channel = { kind: "hook", url: "https://example.org/", headers: { a: "b" } };
  const { value } = await c.save({
    id: "0b55b8d4-4d0f-4c0a-8f57-5f1c1f0b2a55", home: { street: "Long Lane", zip: "12345" }, due: null, begins: new Date().toISOString(), priority: 3,
    level: Level.high, levels: [1, 2], color: "red", shade: null, labels: { a: "b" }, rows: { x: [{ n: 1 }] }, away: null, places: [null, { street: "x" }],
    channels: [hook, { kind: "mail", to: "ada@example.com" }], first: hook, then: { do: "stop" }, tags: ["a"], zips: { n: null }, extra: [1, null],
  });
  if (value.then.do === "wait") {
    return `${value.then.ms} ${value.done?.length} ${value.via?.kind}`;
  }
  return value.then.do;
}

export async function wrong(c: XClient): Promise<void> {
  const required = { id: "0b55b8d4-4d0f-4c0a-8f57-5f1c1f0b2a55", home: { street: "x" } };
  // @ts-expect-error: null is no value of the parameter
  await c.save({ ...required, begins: null });
  // @ts-expect-error: the enum has no such number
  await c.save({ ...required, priority: 4 });
  // @ts-expect-error: a member of another variant
  await c.save({ ...required, first: { kind: "mail", url: "https://example.org/" } });
  // @ts-expect-error: the variant lacks its member
  await c.save({ ...required, then: { do: "wait" } });
  // @ts-expect-error: the values of the map are texts
  await c.save({ ...required, labels: { a: 1 } });
}
