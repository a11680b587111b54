// The file of a document that the browser shows in a viewer.

// documentFile returns a PDF document's own file in base64, "" of other documents. The browser has it in its cache.
/** @param {{ limit: number }} o */
export async function documentFile({ limit }) {
  if (document.contentType !== 'application/pdf') return { data: '' };
  try {
    const res = await fetch(location.href, { mode: 'same-origin', cache: 'force-cache' });
    const bytes = new Uint8Array(await res.arrayBuffer());
    return { data: res.ok && bytes.length <= limit ? bytes.toBase64() : '' };
  } catch {
    return { data: '' };
  }
}
