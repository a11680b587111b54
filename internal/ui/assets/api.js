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

/** Api sends requests below ./api/. One is made for the page and handed to every view. */
export class Api {
  constructor() {
    /** announce says a short text to screen readers; not for what changes often. @type {(text: string) => void} */
    this.announce = () => {};
    /** onSignedOut runs when the server knows this browser no more. @type {() => void} */
    this.onSignedOut = () => {};
    /** onConnection runs when a stream of events is lost or back. @type {(connected: boolean) => void} */
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
   * stream follows server-sent events until the returned function is called, and connects again when
   * the connection is lost. The handler of "failed" gets the error after which the server sends no more.
   * @param {string} path
   * @param {Params} params
   * @param {Handlers} handlers
   * @returns {() => void}
   */
  stream(path, params, handlers) {
    const stopped = new AbortController();
    this.#follow(path, params, handlers, stopped.signal);
    return () => stopped.abort();
  }

  /** @param {string} path @param {Params} params @param {Handlers} handlers @param {AbortSignal} signal */
  async #follow(path, params, handlers, signal) {
    for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
      try {
        const answer = await this.#request(path, params, { signal });
        this.onConnection(true);
        wait = 500;
        if (!answer.body || (await readEvents(answer.body, handlers, signal))) return;
      } catch (e) {
        if (signal.aborted) return;
        if (e instanceof RequestError) {
          handlers.failed?.({ error: e.message });
          return;
        }
      }
      if (signal.aborted) return;
      this.onConnection(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** @param {string} path @param {Params} params @param {RequestInit} init */
  async #request(path, params, init) {
    const url = new URL(`api/${path}`, document.baseURI);
    for (const [name, value] of Object.entries(params)) {
      for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) url.searchParams.append(name, each);
    }
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

/**
 * readEvents reads events until the stream ends. It returns whether the server will send no more.
 * @param {ReadableStream<Uint8Array>} body
 * @param {Handlers} handlers
 * @param {AbortSignal} signal
 */
async function readEvents(body, handlers, signal) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) return signal.aborted;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (event) handlers[event]?.(JSON.parse(data));
      if (event === 'failed') return true;
    }
  }
}
