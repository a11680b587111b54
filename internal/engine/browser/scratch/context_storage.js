// Reads or replaces the localStorage and the IndexedDB databases of the document's origin, in
// Playwright's format of a storage state. Runs in an empty document. Returns JSON.
/** @param {'read' | 'replace' | 'add'} action @param {StoredOrigin} wanted */
async (action, wanted) => {
  /** @type {Record<string, (typeof Uint8Array | typeof BigInt64Array)>} */
  const arrays = /** @type {{}} */ ({
    i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array, i32: Int32Array,
    ui32: Uint32Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array,
  });
  /** @param {Uint8Array} bytes */
  const toBase64 = (bytes) => {
    let s = '';
    for (const b of bytes) s += String.fromCharCode(b);
    return btoa(s);
  };
  /** @param {string} s */
  const fromBase64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0)).buffer;
  /** @param {object} v */
  const isPlain = (v) => Object.getPrototypeOf(v) === Object.prototype;

  // isJSON reports whether JSON carries a value as it is.
  /** @param {unknown} v @param {object[]} [above] @returns {boolean} */
  const isJSON = (v, above = []) => {
    if (v === null || typeof v === 'string' || typeof v === 'boolean') return true;
    if (typeof v === 'number') return Number.isFinite(v) && !Object.is(v, -0);
    if (typeof v !== 'object' || above.includes(v)) return false;
    if (!Array.isArray(v) && !isPlain(v)) return false;
    const below = [...above, v];
    return Object.values(v).every((x) => isJSON(x, below)) && (!Array.isArray(v) || Object.keys(v).length === v.length);
  };

  // encode throws for a value that the format cannot hold.
  /** @param {unknown} v @param {{ ids: Map<object, number>, last: number }} [seen] @returns {unknown} */
  const encode = (v, seen = {ids: new Map(), last: 0}) => {
    if (v === undefined) return {v: 'undefined'};
    if (Object.is(v, -0)) return {v: '-0'};
    if (typeof v === 'number' && !Number.isFinite(v)) return {v: String(v)};
    if (typeof v === 'bigint') return {bi: v.toString()};
    if (v === null || typeof v !== 'object') return v;
    if (v instanceof Date) return {d: v.toJSON()};
    if (v instanceof RegExp) return {r: {p: v.source, f: v.flags}};
    if (v instanceof Error) return {e: {n: v.name, m: v.message, s: v.stack || ''}};
    if (v instanceof ArrayBuffer) return {ab: {b: toBase64(new Uint8Array(v))}};
    for (const [k, type] of Object.entries(arrays)) {
      if (v instanceof type) return {ta: {b: toBase64(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)), k}};
    }
    if (!Array.isArray(v) && !isPlain(v)) throw new TypeError('no form for ' + Object.prototype.toString.call(v));
    const known = seen.ids.get(v);
    if (known) return {ref: known};
    const id = ++seen.last;
    seen.ids.set(v, id);
    if (Array.isArray(v)) return {a: Array.from(v, (x) => encode(x, seen)), id};
    return {o: Object.keys(v).map((k) => ({k, v: encode(/** @type {Record<string, unknown>} */ (v)[k], seen)})), id};
  };

  /** @param {unknown} coded @param {Map<number, unknown>} [refs] @returns {unknown} */
  const decode = (coded, refs = new Map()) => {
    if (coded === null || typeof coded !== 'object') return coded;
    const v = /** @type {Coded} */ (coded);
    if ('ref' in v) return refs.get(v.ref);
    if ('v' in v) return /** @type {Record<string, unknown>} */ ({undefined: undefined, null: null, NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity, '-0': -0})[v.v];
    if ('d' in v) return new Date(v.d);
    if ('u' in v) return v.u;
    if ('bi' in v) return BigInt(v.bi);
    if ('r' in v) return new RegExp(v.r.p, v.r.f);
    if ('e' in v) return Object.assign(new Error(v.e.m), {name: v.e.n, stack: v.e.s});
    if ('ab' in v) return fromBase64(v.ab.b);
    if ('ta' in v) return new arrays[v.ta.k](fromBase64(v.ta.b));
    if ('a' in v) {
      /** @type {unknown[]} */
      const list = [];
      refs.set(v.id, list);
      for (const x of v.a) list.push(decode(x, refs));
      return list;
    }
    const out = {};
    refs.set(v.id, out);
    for (const {k, v: x} of v.o) Object.defineProperty(out, k, {value: decode(x, refs), writable: true, enumerable: true, configurable: true});
    return out;
  };

  /** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
  const done = (request) => new Promise((ok, no) => {
    request.onsuccess = () => ok(request.result);
    request.onerror = () => no(request.error);
    // A page that was closed just now may still have the database open.
    /** @type {IDBOpenDBRequest} */ (/** @type {unknown} */ (request)).onblocked = () => setTimeout(no, 5000, new Error('a page of this origin keeps a database open; close it'));
  });
  /** @param {IDBTransaction} tx @returns {Promise<void>} */
  const complete = (tx) => new Promise((ok, no) => { tx.oncomplete = () => ok(); tx.onabort = tx.onerror = () => no(tx.error); });
  /** @param {string | string[] | null} path */
  const keyPathOf = (path) => path === null ? {} : Array.isArray(path) ? {keyPathArray: path} : {keyPath: path};
  /** @param {string} name @param {unknown} v */
  const field = (name, v) => isJSON(v) ? {[name]: v} : {[name + 'Encoded']: encode(v)};

  /** @param {Required<IDBDatabaseInfo>} info @param {{ records: number }} left */
  const readDatabase = async ({name, version}, left) => {
    const db = await done(indexedDB.open(name));
    try {
      const stores = [];
      const names = [...db.objectStoreNames];
      const tx = names.length ? db.transaction(names, 'readonly') : null;
      for (const n of names) {
        const s = /** @type {IDBTransaction} */ (tx).objectStore(n);
        const [keys, values] = await Promise.all([done(s.getAllKeys()), done(s.getAll())]);
        /** @type {object[]} */
        const records = [];
        values.forEach((value, i) => {
          try {
            records.push({...(s.keyPath === null ? field('key', keys[i]) : {}), ...field('value', value)});
          } catch { left.records++; } // a Blob, a Map, a CryptoKey
        });
        const indexes = [...s.indexNames].map((x) => s.index(x)).map((x) => ({
          name: x.name, ...keyPathOf(x.keyPath), multiEntry: x.multiEntry, unique: x.unique,
        }));
        stores.push({name: n, autoIncrement: s.autoIncrement, ...keyPathOf(s.keyPath), records, indexes});
      }
      return {name, version, stores};
    } finally { db.close(); }
  };

  /** @param {StoredDatabase} database */
  const writeDatabase = async ({name, version, stores}) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const s of stores) {
        const store = opening.result.createObjectStore(s.name, {autoIncrement: s.autoIncrement, keyPath: s.keyPathArray ?? s.keyPath ?? null});
        for (const x of s.indexes) store.createIndex(x.name, x.keyPathArray ?? x.keyPath ?? '', {unique: x.unique, multiEntry: x.multiEntry});
      }
    };
    const db = await done(opening);
    try {
      if (!stores.length) return;
      const tx = db.transaction(stores.map((s) => s.name), 'readwrite');
      const ended = complete(tx);
      for (const s of stores) {
        for (const r of s.records) {
          const value = 'valueEncoded' in r ? decode(r.valueEncoded) : r.value;
          const key = /** @type {IDBValidKey | undefined} */ ('keyEncoded' in r ? decode(r.keyEncoded) : r.key);
          if (key === undefined) tx.objectStore(s.name).put(value);
          else tx.objectStore(s.name).put(value, key);
        }
      }
      await ended;
    } finally { db.close(); }
  };

  const databases = async () => /** @type {Required<IDBDatabaseInfo>[]} */ ((await indexedDB.databases?.()) ?? []);
  if (action === 'read') {
    const left = {records: 0};
    const indexed = [];
    for (const d of await databases()) indexed.push(await readDatabase(d, left));
    const localItems = Object.keys(localStorage).map((name) => ({name, value: localStorage.getItem(name)}));
    return JSON.stringify({origin: location.origin, localStorage: localItems, indexedDB: indexed, left: left.records});
  }
  if (action === 'replace') {
    localStorage.clear();
    for (const d of await databases()) await done(indexedDB.deleteDatabase(d.name));
  }
  for (const {name, value} of wanted.localStorage ?? []) localStorage.setItem(name, value);
  for (const d of wanted.indexedDB ?? []) {
    if (action === 'add') await done(indexedDB.deleteDatabase(d.name));
    await writeDatabase(d);
  }
  return JSON.stringify({origin: location.origin});
}
//# sourceURL=callsheet:context-storage
