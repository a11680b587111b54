// The service worker carries commands of the DevTools protocol between the daemon, over native
// messaging, and the tabs that agents may use, over chrome.debugger. It decides nothing about the
// protocol, and everything about which tabs can be reached: those that agents opened, those that the
// person shares, and pinned or grouped ones where the daemon was attached for them.
const HOST = "com.callsheet.host"
const GROUP = "Callsheet"

/** @type {chrome.runtime.Port | null} */
let port = null       // of the native host; null while agents cannot reach this browser
let mode = "opened"   // which other tabs agents may use: opened, pinned, group or all
let lastError = ""
/** @type {Set<number | undefined>} */
const opened = new Set()   // ids of tabs that agents opened
/** @type {Set<number | undefined>} */
const shared = new Set()   // ids of tabs that the person shares
/** @type {Set<number | undefined>} */
const attached = new Set() // ids of tabs with a debugger
/** @type {Map<number | undefined, string>} */
const known = new Map()    // ids of tabs that the daemon knows, with their target ids

/** @param {chrome.tabs.Tab} tab */
async function inGroup(tab) {
  if (tab.groupId === undefined || tab.groupId < 0) return false
  const group = await chrome.tabGroups.get(tab.groupId).catch(() => null)
  return group?.title === GROUP
}

/** @param {chrome.tabs.Tab} tab */
async function mayUse(tab) {
  if (!port || !/^(https?|about|data|blob):/.test(tab.pendingUrl || tab.url || "about:")) return false
  return opened.has(tab.id) || shared.has(tab.id) || mode === "all" || mode === "pinned" && tab.pinned ||
    mode === "group" && await inGroup(tab)
}

/** @param {object} message */
function post(message) {
  if (port) port.postMessage(message)
}

/** @param {number | undefined} id */
async function targetOf(id) {
  const targets = await chrome.debugger.getTargets()
  return targets.find(t => t.tabId === id && t.type === "page")?.id
}

/** @param {chrome.tabs.Tab} tab */
function describe(tab) {
  return {tab: tab.id, target: known.get(tab.id), url: tab.url || tab.pendingUrl || "", title: tab.title || ""}
}

// offer tells the daemon of a tab that agents may use, of its changes, and of the end of the consent.
/** @param {chrome.tabs.Tab} tab */
async function offer(tab) {
  if (!await mayUse(tab)) return withdraw(tab.id)
  if (!known.has(tab.id)) {
    const target = await targetOf(tab.id)
    if (!target || known.has(tab.id)) return
    known.set(tab.id, target)
    const opener = known.get(tab.openerTabId)
    post({event: "created", ...describe(tab), opener})
    mark(tab.id, true)
    return
  }
  post({event: "changed", ...describe(tab)})
  mark(tab.id, true)
}

/** @param {number | undefined} id */
function withdraw(id) {
  if (!known.has(id)) return
  const target = known.get(id)
  known.delete(id)
  detach(id)
  mark(id, false)
  post({event: "removed", tab: id, target})
}

/** @param {number | undefined} id @param {boolean} on */
function mark(id, on) {
  chrome.action.setBadgeBackgroundColor({color: "#ff7a00"})
  chrome.action.setBadgeText({tabId: id, text: on ? "on" : ""}).catch(() => {})
}

/** @param {number} id */
async function attach(id) {
  if (!known.has(id)) throw new Error("agents may not use this tab")
  if (attached.has(id)) return
  attached.add(id)
  try {
    await chrome.debugger.attach({tabId: id}, "1.3")
  } catch (e) {
    attached.delete(id)
    throw e
  }
}

/** @param {number | undefined} id */
function detach(id) {
  if (attached.delete(id)) chrome.debugger.detach({tabId: id}).catch(() => {})
}

// openTab opens a tab for an agent in the background, in a tab group that the person sees.
/** @param {string} url */
async function openTab(url) {
  const tab = await chrome.tabs.create({url, active: false})
  const id = /** @type {number} */ (tab.id)
  opened.add(id)
  const groups = await chrome.tabGroups.query({title: GROUP, windowId: tab.windowId})
  const groupId = await chrome.tabs.group(groups.length
    ? {tabIds: [id], groupId: groups[0].id}
    : {tabIds: [id], createProperties: {windowId: tab.windowId}}).catch(() => undefined)
  if (groupId !== undefined) await chrome.tabGroups.update(groupId, {title: GROUP, color: "orange"}).catch(() => {})
  for (let n = 0; n < 100 && !known.has(id); n++) { // the browser lists a new tab a moment later
    await offer(await chrome.tabs.get(id))
    if (!known.has(id)) await new Promise(done => setTimeout(done, 20))
  }
  return {tab: id, target: known.get(id)}
}

/** @typedef {{ tabs: string, url: string, tab: number, session?: string, method: string, params?: object }} RequestOfDaemon its parameters: each request has some */

/** @type {Record<string, (params: RequestOfDaemon) => Promise<object>>} */
const requests = {
  async hello({tabs}) {
    mode = tabs || "opened"
    for (const tab of await chrome.tabs.query({})) await offer(tab)
    const list = []
    for (const id of known.keys()) if (id !== undefined) list.push(describe(await chrome.tabs.get(id)))
    return {userAgent: navigator.userAgent, tabs: list}
  },
  open: ({url}) => openTab(url),
  async close({tab}) {
    if (!opened.has(tab)) throw new Error("an agent closes only tabs that agents opened")
    await chrome.tabs.remove(tab)
    return {}
  },
  async attach({tab}) { await attach(tab); return {} },
  async detach({tab}) { detach(tab); return {} },
  async send({tab, session, method, params}) {
    if (!attached.has(tab)) throw new Error("agents may not use this tab")
    return await chrome.debugger.sendCommand(session ? {tabId: tab, sessionId: session} : {tabId: tab}, method, params) || {}
  },
}

/** @param {{ id: number, request: string, params?: RequestOfDaemon }} message */
async function answer({id, request, params}) {
  try {
    post({id, result: await requests[request](params || /** @type {RequestOfDaemon} */ ({}))})
  } catch (e) {
    post({id, error: String(e instanceof Error && e.message || e)})
  }
}

function connect() {
  if (port) return
  lastError = ""
  port = chrome.runtime.connectNative(HOST)
  port.onMessage.addListener(answer)
  port.onDisconnect.addListener(() => {
    lastError = chrome.runtime.lastError?.message || ""
    letGo()
  })
}

// letGo ends everything that agents have here: also after a crash of the daemon, which ends the host.
function letGo() {
  if (port) port.disconnect()
  port = null
  for (const id of [...known.keys()]) {
    known.delete(id)
    mark(id, false)
    detach(id)
  }
  for (const id of opened) if (id !== undefined) chrome.tabs.remove(id).catch(() => {})
  opened.clear()
  shared.clear()
}

chrome.tabs.onCreated.addListener(async tab => {
  if (opened.has(tab.openerTabId)) opened.add(tab.id)
  else if (shared.has(tab.openerTabId) && known.has(tab.openerTabId)) opened.add(tab.id)
  await offer(tab)
})
chrome.tabs.onUpdated.addListener((_, __, tab) => offer(tab))
chrome.tabs.onReplaced.addListener((added, removed) => {
  withdraw(removed)
  if (opened.delete(removed)) opened.add(added)
  if (shared.delete(removed)) shared.add(added)
  chrome.tabs.get(added).then(offer)
})
chrome.tabs.onRemoved.addListener(id => {
  attached.delete(id)
  withdraw(id)
  opened.delete(id)
  shared.delete(id)
})
chrome.debugger.onEvent.addListener((source, method, params) => {
  if (known.has(source.tabId)) post({event: "protocol", tab: source.tabId, session: source.sessionId, method, params: params || {}})
})
chrome.debugger.onDetach.addListener((source, reason) => {
  attached.delete(source.tabId)
  if (reason === "canceled_by_user") return letGo() // the person pressed Cancel in the browser's own bar
  withdraw(source.tabId)
})

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (sender.id !== chrome.runtime.id) return
  handleAction(message).then(reply, e => reply({error: String(e?.message || e)}))
  return true
})

/** @param {{ action: string, tab: number }} message */
async function handleAction({action, tab}) {
  switch (action) {
    case "connect": connect(); break
    case "stop": letGo(); break
    case "share":
      connect()
      if (!shared.delete(tab)) shared.add(tab)
      await offer(await chrome.tabs.get(tab))
  }
  return {connected: port !== null, opened: opened.size, shared: shared.size, sharesTab: shared.has(tab), error: lastError}
}
