// The storage of an origin in Playwright's format of a storage state.
type StoredOrigin = { localStorage?: { name: string, value: string }[], indexedDB?: StoredDatabase[] };
type StoredDatabase = { name: string, version: number, stores: StoredStore[] };
type StoredStore = {
  name: string, autoIncrement: boolean, keyPath?: string | null, keyPathArray?: string[],
  records: { key?: IDBValidKey, keyEncoded?: unknown, value?: unknown, valueEncoded?: unknown }[],
  indexes: { name: string, keyPath?: string, keyPathArray?: string[], unique: boolean, multiEntry: boolean }[],
};

// Coded is a value that JSON cannot hold, as Playwright writes it.
type Coded = { ref: number } | { v: string } | { d: string } | { u: string } | { bi: string } | { r: { p: string, f: string } } |
  { e: { n: string, m: string, s: string } } | { ab: { b: string } } | { ta: { b: string, k: string } } |
  { a: unknown[], id: number } | { o: { k: string, v: unknown }[], id: number };
