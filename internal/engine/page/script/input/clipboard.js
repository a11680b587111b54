// The clipboard of the session in place of the browser's, which all sessions share: what a page or a key copies is
// sent to the server, and what they paste or read comes from there. It runs in the page's own world before the page's
// scripts, because only there are the functions of the clipboard. The browser's own functions judge whether the page
// may, on an empty text.
(() => {
  const world = /** @type {any} */ (globalThis), { apply } = Reflect;
  const { Promise, Object, JSON, DOMException, DataTransfer, ClipboardEvent, ClipboardItem, Blob, CustomEvent } = world;
  /** @type {((text: string) => void) | undefined} */
  const tell = world.callsheetPrompt;
  if (!tell) return;
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const { readText, writeText } = world.Clipboard?.prototype ?? {};

  /** @typedef {Record<string, string>} Items texts by their types */
  /** @type {Map<number, (items: Items) => void>} */
  const reads = new Map();
  let read = 0;
  const held = () => new Promise((/** @type {any} */ resolve) => { reads.set(++read, resolve); tell('clipboard read ' + read); });
  /** @param {any} event */
  const answered = (event) => {
    const [id, items] = JSON.parse(event.detail), resolve = reads.get(id);
    event.stopImmediatePropagation();
    reads.delete(id);
    resolve?.(items);
  };

  // A text that holds a secret is copied nowhere: the engine, which knows it, refuses the event.
  /** @param {string} text */
  const isFree = (text) => document.dispatchEvent(new CustomEvent('callsheet:copy', { detail: text, cancelable: true }));
  // hold has the session's clipboard hold texts, and reports whether it does.
  /** @param {Items} items */
  const hold = (items) => {
    const free = Object.values(items).every(isFree);
    if (free) tell('clipboard write ' + JSON.stringify(items));
    return free;
  };

  /** @returns {any} */
  const active = () => {
    let el = document.activeElement;
    while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
    return el;
  };
  // selected returns the selection as a copy takes it.
  /** @returns {Items} */
  const selected = () => {
    const field = active(), selection = getSelection();
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      const { type, selectionStart: from, selectionEnd: to } = field;
      const text = type === 'password' ? '' : from === null ? String(selection) : field.value.slice(from, to ?? from);
      return text === '' ? {} : { 'text/plain': text };
    }
    if (!selection || selection.isCollapsed) return {};
    const inert = document.implementation.createHTMLDocument('').body;
    for (let i = 0; i < selection.rangeCount; i++) inert.append(inert.ownerDocument.importNode(selection.getRangeAt(i).cloneContents(), true));
    return { 'text/plain': String(selection), 'text/html': inert.innerHTML };
  };
  // take has the session's clipboard hold what an event copies after all handlers of the page.
  /** @param {ClipboardEvent} event */
  const take = (event) => {
    const data = event.clipboardData, given = event.defaultPrevented;
    const items = given ? Object.fromEntries([...data?.types ?? []].filter((t) => t !== 'Files').map((t) => [t, data?.getData(t)])) : selected();
    event.preventDefault();
    data?.clearData();
    if (Object.keys(items).length === 0 || !hold(items) || given || event.type !== 'cut') return;
    if (!document.execCommand('delete')) queueMicrotask(() => document.execCommand('delete')); // in a command, none runs
  };
  // copy follows an event to its end: the window, or the node whose handler stops it.
  /** @param {Event} event */
  const copy = (event) => {
    if (!event.isTrusted) return;
    const { type } = event, path = event.composedPath(), early = selected();
    let done = false;
    const step = () => {
      if (done || !event.cancelBubble && !(event.currentTarget === world && event.eventPhase === Event.BUBBLING_PHASE)) return;
      done = true;
      take(/** @type {ClipboardEvent} */ (event));
    };
    for (const node of path) for (const capture of [true, false]) apply(addEventListener, node, [type, step, capture]);
    setTimeout(() => {
      for (const node of path) for (const capture of [true, false]) apply(removeEventListener, node, [type, step, capture]);
      if (done) return;
      done = true; // a handler ended the event at once, and the browser's clipboard has what was copied
      if (!event.defaultPrevented && Object.keys(early).length > 0) hold(early);
      if (writeText) apply(writeText, navigator.clipboard, ['']).catch(() => {});
    });
  };

  let plain = false; // the latest key pastes without styles
  /** @param {Event} event */
  const key = (event) => { if (event.isTrusted) plain = /** @type {KeyboardEvent} */ (event).shiftKey && /** @type {KeyboardEvent} */ (event).code === 'KeyV'; };
  // paste has the page see the session's clipboard in place of the browser's, and inserts it as the browser would.
  /** @param {Event} event */
  const paste = (event) => {
    if (!event.isTrusted) return;
    const [target] = event.composedPath(), unstyled = plain;
    event.preventDefault();
    event.stopImmediatePropagation();
    held().then((/** @type {Items} */ items) => {
      const data = new DataTransfer();
      for (const [type, text] of Object.entries(items)) if (!unstyled || type === 'text/plain') data.setData(type, text);
      const init = { clipboardData: data, bubbles: true, cancelable: true, composed: true };
      const text = data.getData('text/plain'), html = data.getData('text/html');
      if (!target.dispatchEvent(new ClipboardEvent('paste', init))) return;
      try {
        if (html && active()?.isContentEditable && active().contentEditable !== 'plaintext-only' && document.execCommand('insertHTML', false, html)) return;
      } catch { /* the page takes trusted HTML alone */ }
      if (text) document.execCommand('insertText', false, text);
    });
  };

  const start = () => {
    /** @type {[string, (event: Event) => void][]} */
    const handlers = [['copy', copy], ['cut', copy], ['paste', paste], ['keydown', key], ['callsheet:clipboard', answered]];
    for (const [type, handler] of handlers) apply(addEventListener, world, [type, handler, true]);
  };
  start();

  /** @param {any} owner @param {string} name @param {(self: any, args: any[], call: () => any) => any} by */
  const replace = (owner, name, by) => {
    const property = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (typeof property?.value !== 'function') return;
    const handler = { apply: (/** @type {any} */ f, /** @type {any} */ self, /** @type {any[]} */ args) => by(self, args, () => apply(f, self, args)) };
    Object.defineProperty(owner, name, { ...property, value: new Proxy(property.value, handler) });
  };
  // A document that is written anew loses the listeners of its window.
  for (const name of ['open', 'write', 'writeln']) {
    replace(world.Document?.prototype, name, (_, __, call) => { try { return call(); } finally { start(); } });
  }
  const clipboard = world.Clipboard?.prototype;
  const denied = () => new DOMException('Write permission denied.', 'NotAllowedError');
  replace(clipboard, 'writeText', async (self, args, call) => {
    if (args.length === 0) return call();
    await apply(writeText, self, ['']);
    if (!hold({ 'text/plain': String(args[0]) })) throw denied();
  });
  replace(clipboard, 'write', async (self, [items]) => {
    /** @type {Items} */
    const texts = {};
    await apply(writeText, self, ['']);
    for (const item of items) for (const type of item.types) if (type.startsWith('text/')) texts[type] = await (await item.getType(type)).text();
    if (!hold(texts)) throw denied();
  });
  replace(clipboard, 'readText', async (self) => {
    await apply(readText, self, []);
    return (await held())['text/plain'] ?? '';
  });
  replace(clipboard, 'read', async (self) => {
    await apply(readText, self, []);
    /** @type {Record<string, any>} */
    const blobs = {};
    for (const [type, text] of Object.entries(await held())) if (ClipboardItem.supports(type)) blobs[type] = new Blob([text], { type });
    return Object.keys(blobs).length === 0 ? [] : [new ClipboardItem(blobs)];
  });
})();
//# sourceURL=callsheet:clipboard
