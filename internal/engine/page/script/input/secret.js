// Secrets: the origin of the document that a text goes into, and the insertion of that text by this world,
// which no other document can receive.

// originAt returns the origin of an element's document, as the browser compares it. A document of about:blank
// has that of the one that made it.
const originAt = (el) => String((el ? ownerDocument(el).defaultView : window)?.origin ?? 'null');

const fieldOrigin = ({ n }) => ({ origin: originAt(resolve(n)) });

const focusOrigin = () => ({ origin: originAt(focusedElement()) });

// insertSecret replaces the selection of the focused element.
function insertSecret({ text, origin }) {
  stopIntercepting();
  const el = focusedElement();
  if (!el || isFrame(el) || originAt(el) !== origin || !origin) throw new EngineError('focusElsewhere', {});
  ownerDocument(el).execCommand('insertText', false, text);
  return {};
}
