// Requests of the page's own origin, with the cookies of the session. This world's fetch is not the page's: a page that replaces
// its own sees nothing.

import { EngineError } from '../dom/error.js';
import { ownTimeout } from '../dom/timers.js';

// request sends one request and reads at most limit bytes of its body. A redirect to another origin is not followed.
/**
 * @param {{ method: string, url: string, headers: Record<string, string>, body: string, limit: number, ms: number }} o
 */
export async function request({ method, url, headers, body, limit, ms }) {
  if (self.origin !== new URL(url).origin) throw new EngineError('otherOrigin', { reason: self.origin });
  const stop = new AbortController();
  let late = false;
  ownTimeout(() => { late = true; stop.abort(); }, ms);
  try {
    const res = await fetch(url, { method, headers, body: body ?? undefined, mode: 'same-origin', credentials: 'same-origin', redirect: 'follow', cache: 'no-store', signal: stop.signal });
    const out = { status: res.status, url: res.url, type: res.headers.get('content-type') ?? '', text: '', cut: false };
    const reader = res.body?.getReader();
    const decoder = new TextDecoder();
    for (let read = 0; reader;) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.byteLength;
      if (read > limit) {
        out.cut = true;
        stop.abort();
        break;
      }
      out.text += decoder.decode(value, { stream: true });
    }
    return out;
  } catch (e) {
    throw new EngineError(late ? 'requestTimeout' : 'requestFailed', { reason: String(e instanceof Error ? e.message : e).slice(0, 300) });
  }
}
