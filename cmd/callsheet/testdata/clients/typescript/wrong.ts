// What does not compile. The compiler reports a directive whose line has no error.
import { RefusalError, type CallsheetClient } from "callsheet-client";

export async function wrong(c: CallsheetClient): Promise<void> {
  // @ts-expect-error: the parameter has another name
  await c.navigate({ uri: "https://example.org/" });
  // @ts-expect-error: a required parameter is missing
  await c.navigate({ timeout: 1000 });
  // @ts-expect-error: required parameters are missing
  await c.navigate();
  // @ts-expect-error: the enum has no such value
  await c.computer({ action: "clik" });
  // @ts-expect-error: an older name of a parameter
  await c.emulateDevice({ isMobile: true });
  // @ts-expect-error: a number is no text
  await c.readPage({ tabId: 1 });
  // @ts-expect-error: a member of a list lacks its value
  await c.fillForm({ fields: [{ query: "Name" }] });
  // @ts-expect-error: a result has another member
  void (await c.tabsContext()).value.tabsCount;
  // @ts-expect-error: there is no such tool
  await c.readPages();
  try {
    await c.tabsContext();
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "NO_TAB") {
      // @ts-expect-error: a field of another code
      void error.refusal.violations;
      void error.refusal.tabs;
    }
  }
}
