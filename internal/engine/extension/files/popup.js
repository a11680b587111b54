// The popup shows what agents may do, and asks the service worker for changes. ?tab=ID stands for the
// tab that is meant where it is opened as a page.
/** @param {string} id */
const byID = id => /** @type {HTMLElement} */ (document.getElementById(id))

async function currentTab() {
  const given = new URLSearchParams(location.search).get("tab")
  if (given) return Number(given)
  const [tab] = await chrome.tabs.query({active: true, currentWindow: true})
  return tab?.id
}

/** @param {{ connected: boolean, opened: number, shared: number, sharesTab: boolean, error: string }} state */
async function show(state) {
  byID("state").textContent = state.error || (state.connected
    ? `Agents work in ${state.opened} tabs of their own and ${state.shared} of yours.`
    : "Agents cannot reach this browser.")
  byID("connect").hidden = state.connected
  byID("share").textContent = state.sharesTab ? "Stop sharing this tab" : "Share this tab with agents"
  byID("stop").hidden = !state.connected
}

/** @param {string} action */
async function ask(action) {
  show(await chrome.runtime.sendMessage({action, tab: await currentTab()}))
}

byID("connect").addEventListener("click", () => ask("connect"))
byID("share").addEventListener("click", () => ask("share"))
byID("stop").addEventListener("click", () => ask("stop"))
ask("state")
