// Requests to the server. The key stays in the storage of this origin, beside a cookie that no script
// reads; a request needs both.

const KEY = 'callsheet-key';

/** RequestError is an answer other than a success. */
export class RequestError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @typedef {Record<string, string|string[]|undefined>} Params */
/** @typedef {Record<string, (data: any) => void>} Handlers */
/** @typedef {{ address: string, handlers: Handlers }} Topic */

/** Api sends requests below ./api/. One is made for the page and handed to every view. */
export class Api {
  constructor() {
    /** announce says a short text to screen readers; not for what changes often. @type {(text: string) => void} */
    this.announce = () => {};
    /** onSignedOut runs when the server knows this browser no more. @type {() => void} */
    this.onSignedOut = () => {};
    /** onConnection runs with what is wrong with the connection, or "" when it works. @type {(problem: string) => void} */
    this.onConnection = () => {};
  }

  /**
   * signIn trades a one-time token for a session.
   * @param {string} token
   */
  async signIn(token) {
    const { key } = await this.post('login', { token });
    localStorage.setItem(KEY, key);
  }

  /** signOut ends the session. */
  async signOut() {
    await this.post('logout', {});
    localStorage.removeItem(KEY);
  }

  /**
   * get fetches JSON.
   * @param {string} path
   * @param {Params} [params]
   * @returns {Promise<any>}
   */
  async get(path, params = {}) {
    return (await this.#request(path, params, {})).json();
  }

  /**
   * blob fetches a file, for URL.createObjectURL.
   * @param {string} path
   * @param {Params} [params]
   */
  async blob(path, params = {}) {
    return (await this.#request(path, params, {})).blob();
  }

  /**
   * post sends JSON and returns the JSON of the answer.
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<any>}
   */
  async post(path, body) {
    const headers = { 'Content-Type': 'application/json' };
    return (await this.#request(path, {}, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  }

  /**
   * stream follows a topic of events until the returned function is called, and connects again when the
   * connection is lost; then the server sends everything again. The handler of "failed" gets the error
   * after which the server sends no more of the topic. All topics of a page share one connection, of
   * which a browser has few.
   * @param {string} path
   * @param {Params} params
   * @param {Handlers} handlers
   * @returns {() => void}
   */
  stream(path, params, handlers) {
    const topic = { address: path + query(params), handlers };
    this.#topics.add(topic);
    this.#reconnect();
    return () => { if (this.#topics.delete(topic)) this.#reconnect(); };
  }

  /** @type {Set<Topic>} */
  #topics = new Set();
  /** @type {AbortController | null} */
  #connection = null;
  #reconnects = false;

  /** #reconnect follows the topics of now, once for all changes that are made together. */
  #reconnect() {
    if (this.#reconnects) return;
    this.#reconnects = true;
    queueMicrotask(() => {
      this.#reconnects = false;
      const before = this.#connection, next = new AbortController();
      this.#connection = next;
      if (!this.#topics.size) before?.abort();
      else this.#follow(next.signal, () => before?.abort()); // the server sees a person without a gap
    });
  }

  /** @param {AbortSignal} signal @param {() => void} onOpen */
  async #follow(signal, onOpen) {
    for (let wait = 500; !signal.aborted && this.#topics.size; wait = Math.min(wait * 2, 8000)) {
      const topics = [...this.#topics];
      try {
        const answer = await this.#request('stream', { topic: topics.map((t) => t.address) }, { signal });
        onOpen();
        this.onConnection('');
        wait = 500;
        if (answer.body) await readEvents(answer.body, (name, data) => this.#dispatch(topics, name, data));
      } catch (e) {
        onOpen();
        if (signal.aborted) return;
        if (e instanceof RequestError && e.status < 500) {
          for (const t of topics) if (this.#topics.delete(t)) t.handlers.failed?.({ error: e.message });
          return;
        }
      }
      if (signal.aborted || !this.#topics.size) return;
      this.onConnection('Connection lost');
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** @param {Topic[]} topics @param {string} name number of the topic, and the event @param {any} data */
  #dispatch(topics, name, data) {
    if (name === 'displaced') {
      this.#topics.clear();
      this.onConnection('Stopped: too many windows watch. Load this page again to go on here.');
      return;
    }
    const at = name.indexOf(' '), topic = topics[Number(name.slice(0, at))], event = name.slice(at + 1);
    if (!topic || !this.#topics.has(topic)) return;
    if (event === 'failed' || event === 'ended') this.#topics.delete(topic);
    topic.handlers[event]?.(data);
  }

  /** @param {string} path @param {Params} params @param {RequestInit} init */
  async #request(path, params, init) {
    const url = new URL(`api/${path}${query(params)}`, document.baseURI);
    const headers = new Headers(init.headers);
    const key = localStorage.getItem(KEY);
    if (key) headers.set('X-Callsheet-Key', key);
    const answer = await fetch(url, { ...init, headers, cache: 'no-store', credentials: 'same-origin' });
    if (answer.ok) return answer;
    const { error } = await answer.json().catch(() => ({ error: answer.statusText }));
    if (answer.status === 401 && path !== 'login') this.onSignedOut();
    throw new RequestError(answer.status, error);
  }
}

/** @param {Params} params */
function query(params) {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) out.append(name, each);
  }
  const text = out.toString();
  return text && `?${text}`;
}

/**
 * readEvents reads events until the stream ends.
 * @param {ReadableStream<Uint8Array>} body
 * @param {(name: string, data: any) => void} handle
 */
async function readEvents(body, handle) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (name) handle(name, JSON.parse(data));
    }
  }
}
