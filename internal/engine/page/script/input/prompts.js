// What a page asks of a person by windows of the browser, which no person sees here. It runs in the page's own
// world before the page's scripts, because only there are the functions that ask. They keep their names and
// look native.
//
// A picker waits for files that are dropped for it, a save picker has the page write a file that becomes a
// download. Choosers of devices, passkeys, accounts, screens and colours are refused as by Cancel: they would
// wait for ever, and keep input from the page.
(() => {
  const world = /** @type {any} */ (globalThis), BINDING = 'callsheetPrompt';
  /** @type {((kind: string) => void) | undefined} */
  const tell = world[BINDING];
  if (!tell) return;
  delete world[BINDING];
  const { Proxy, Promise, Object, DOMException, URL } = world;
  /** @param {string} name @param {string} message */
  const refusal = (name, message) => Promise.reject(new DOMException(message, name));

  // wrap has a function, or the setter of a property, answered by apply; undefined is as the browser answers, NOTHING is undefined, NULL is null.
  const NOTHING = {}, NULL = {};
  /** @param {any} owner @param {string} name @param {(args: any[], call: () => any, self: any) => any} apply */
  const wrap = (owner, name, apply) => {
    const property = owner && Object.getOwnPropertyDescriptor(owner, name), key = property?.set ? 'set' : 'value';
    if (typeof property?.[key] !== 'function') return;
    const handler = { apply: (/** @type {any} */ f, /** @type {any} */ self, /** @type {any[]} */ args) => {
      const call = () => Reflect.apply(f, self, args), answer = apply(args, call, self);
      return answer === NOTHING ? undefined : answer === NULL ? null : answer ?? call();
    } };
    Object.defineProperty(owner, name, { ...property, [key]: new Proxy(property[key], handler) });
  };

  /** @type {{ resolve: (handles: any) => void, reject: (reason: any) => void } | null} */
  let pending = null;
  const take = () => {
    const taken = pending;
    if (taken) tell('settled');
    pending = null;
    return taken;
  };
  const cancel = () => take()?.reject(new DOMException('The user aborted a request.', 'AbortError'));
  addEventListener('pointerdown', (e) => { if (e.isTrusted) cancel(); }, true);
  for (const type of ['dragenter', 'dragover', 'drop']) {
    addEventListener(type, (event) => {
      const e = /** @type {DragEvent} */ (event);
      if (!e.isTrusted || !pending) return;
      e.preventDefault();
      e.stopImmediatePropagation();
      if (type !== 'drop') return;
      // The browser keeps directories of the system from pages: then the picker waits on.
      Promise.all([.../** @type {any} */ (e.dataTransfer).items].map((item) => item.getAsFileSystemHandle()))
        .then((/** @type {any} */ handles) => take()?.resolve(handles), () => {});
    }, true);
  }
  // What was picked or dropped can be read: the question whether a page may write to it has no answer here.
  /** @param {string} name @param {(o: any) => string} mode @param {() => any} refused */
  const keepReadOnly = (name, mode, refused) => wrap(name === 'createWritable' ? world.FileSystemFileHandle?.prototype : world.FileSystemHandle?.prototype, name, ([o], call, self) =>
    self.queryPermission({ mode: mode(o) }).then((/** @type {string} */ state) => {
      if (state === 'granted') return name === 'requestPermission' ? state : call();
      tell('write');
      return refused();
    }));
  keepReadOnly('requestPermission', (o) => o?.mode ?? 'read', () => 'denied');
  keepReadOnly('createWritable', () => 'readwrite', () => refusal('NotAllowedError', 'The request is not allowed by the user agent or the platform in the current context.'));
  /** @param {string} kind */
  const pick = (kind) => new Promise((/** @type {any} */ resolve, /** @type {any} */ reject) => { cancel(); pending = { resolve, reject }; tell(kind); });
  wrap(world, 'showOpenFilePicker', ([o]) => pick(o?.multiple ? 'files' : 'file'));
  wrap(world, 'showDirectoryPicker', () => pick('directory').then((/** @type {any[]} */ [handle]) => handle));

  // A saved file is written in the page's private files, and downloaded when it has been.
  const POLL = 100, LIMIT = 60000;
  /** @param {any} handle */
  const download = async (handle) => {
    const begun = (await handle.getFile()).lastModified, until = Date.now() + LIMIT;
    for (;;) {
      const file = await handle.getFile();
      if (file.size || file.lastModified !== begun) {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(file);
        link.download = handle.name;
        link.click();
        return;
      }
      if (Date.now() > until) return;
      await new Promise((/** @type {any} */ r) => setTimeout(r, POLL));
    }
  };
  /** @param {string} name */
  const save = async (name) => {
    tell('save');
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(`saved ${Date.now()}`, { create: true });
    const handle = /** @type {any} */ (await folder.getFileHandle(name.replace(/[\\/]/g, '_') || 'untitled', { create: true })), { createWritable } = handle;
    handle.createWritable = (/** @type {any[]} */ ...args) => { download(handle); return Reflect.apply(createWritable, handle, args); };
    return handle;
  };
  wrap(world, 'showSaveFilePicker', ([o]) => save(String(o?.suggestedName ?? '')));

  // refuse tells that the page asks and refuses it.
  /** @param {any} type @param {string} method @param {string} kind @param {string} [error] */
  const refuse = (type, method, kind, error = 'NotFoundError') => wrap(type?.prototype, method, () => { tell(kind); return refusal(error, 'The request was cancelled by the user.'); });
  refuse(world.USB, 'requestDevice', 'usb');
  refuse(world.Serial, 'requestPort', 'serial');
  refuse(world.HID, 'requestDevice', 'hid');
  refuse(world.Bluetooth, 'requestDevice', 'bluetooth');
  refuse(world.MediaDevices, 'getDisplayMedia', 'screen', 'NotAllowedError');
  refuse(world.EyeDropper, 'open', 'colour', 'AbortError');
  for (const method of ['get', 'create']) {
    wrap(world.CredentialsContainer?.prototype, method, ([o]) => {
      const kind = o?.publicKey ? 'passkey' : o?.identity ? 'account' : o?.otp ? 'code' : '';
      if (!kind || o.mediation === 'conditional' || o.mediation === 'silent') return undefined; // these show no window
      tell(kind);
      return refusal(kind === 'account' ? 'NetworkError' : 'NotAllowedError', 'The request was cancelled by the user.');
    });
  }
  refuse(world.XRSystem, 'requestSession', 'headset', 'NotSupportedError');
  refuse(world.PaymentRequest, 'show', 'payment', 'AbortError');
  wrap(world, 'print', () => { tell('print'); });
  wrap(world.Navigator?.prototype, 'registerProtocolHandler', () => { tell('protocol'); return NOTHING; });

  // An address that another program shows would have the browser ask a person, and keep input from the page.
  const SHOWN = /^(?:https?|about|blob|data|javascript|file|filesystem|view-source|chrome[a-z-]*):/i;
  /** @param {any} said */
  const programOf = (said) => {
    const url = /** @type {any} */ (URL).parse(String(said), document.baseURI);
    return url && !SHOWN.test(url.href) ? 'program ' + url.protocol.slice(0, -1) : '';
  };
  for (const [owner, name] of [[world, 'open'], [world.HTMLIFrameElement?.prototype, 'src']]) {
    wrap(owner, name, ([url]) => {
      const program = url === undefined ? '' : programOf(url);
      if (!program) return undefined;
      tell(program);
      return NULL;
    });
  }
  // A link or a form with a window of its own navigates there, which no event of this one tells.
  for (const [type, css, address] of [['click', 'a[href][target],area[href][target]', 'href'], ['submit', 'form[target]', 'action']]) {
    addEventListener(type, (e) => {
      const el = /** @type {any} */ (e.composedPath().find((n) => n instanceof Element && n.matches(css))), program = el && !e.defaultPrevented ? programOf(el.getAttribute(address)) : '';
      if (!program || /^_(?:self|top|parent)$/i.test(el.target)) return;
      tell(program);
      e.preventDefault();
    });
  }
  world.navigation?.addEventListener('navigate', (/** @type {any} */ e) => {
    if (SHOWN.test(e.destination.url)) return;
    tell('program ' + e.destination.url.split(':')[0]);
    e.preventDefault();
  }, true);

  // ask tells that the page asks for a permission that it does not have; the browser refuses it.
  /** @param {any} owner @param {string} method @param {string} kind @param {(args: any[]) => string[]} names */
  const ask = (owner, method, kind, names) => wrap(owner, method, (args) => {
    for (const name of names(args)) {
      navigator.permissions?.query({ name: /** @type {any} */ (name) }).then((s) => { if (s.state !== 'granted') tell(`${kind} ${name}`); }, () => {});
    }
  });
  for (const method of ['getCurrentPosition', 'watchPosition']) ask(world.Geolocation?.prototype, method, 'permission', () => ['geolocation']);
  ask(world.Notification, 'requestPermission', 'permission', () => ['notifications']);
  ask(world.MediaDevices?.prototype, 'getUserMedia', 'permission', ([o]) => [o?.video && 'camera', o?.audio && 'microphone'].filter(Boolean));
  ask(world.Navigator?.prototype, 'requestMIDIAccess', 'permission', () => ['midi']);
  ask(world.IdleDetector, 'requestPermission', 'permission', () => ['idle-detection']);
  ask(world, 'queryLocalFonts', 'permission', () => ['local-fonts']);
  ask(world, 'getScreenDetails', 'permission', () => ['window-management']);
  for (const method of ['read', 'readText']) ask(world.Clipboard?.prototype, method, 'permission', () => ['clipboard-read']);
})();
//# sourceURL=callsheet:prompts
