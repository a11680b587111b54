// Opaque pictures: an image, a canvas or a film that lets nothing through to what lies below it.

import { localName } from './dom.js';
import { paintOf } from './scan.js';

const SAMPLES = 32; // a side of the copy that is looked at

// isOpaquePicture reports a picture, or a background of one, that covers the whole box of an element.
/** @param {El} el @param {CSSStyleDeclaration} cs */
export function isOpaquePicture(el, cs) {
  switch (localName(el)) {
    case 'img': case 'canvas': case 'video':
      return /^(?:fill|cover)$/.test(cs.objectFit) && parseFloat(cs.borderTopLeftRadius) < 10 && paintOf(el, isOpaque);
  }
  return isOpaqueBackground(cs);
}

// isOpaque looks at a small copy. A picture of another site cannot be looked at: a photograph has no transparency.
/** @param {El} el */
function isOpaque(el) {
  const source = /** @type {HTMLImageElement} */ (/** @type {unknown} */ (el));
  if (localName(el) === 'img' && (!source.complete || !source.naturalWidth)) return false;
  if (localName(el) === 'video') return /** @type {HTMLVideoElement} */ (/** @type {unknown} */ (el)).readyState >= 2;
  const context = new OffscreenCanvas(SAMPLES, SAMPLES).getContext('2d', { willReadFrequently: true });
  if (!context) return false;
  try {
    context.drawImage(source, 0, 0, SAMPLES, SAMPLES);
    const { data } = context.getImageData(0, 0, SAMPLES, SAMPLES);
    for (let i = 3; i < data.length; i += 4) if (data[i] < 250) return false;
    return true;
  } catch {
    return localName(el) === 'img' && PHOTOGRAPH.test(source.currentSrc);
  }
}

const PHOTOGRAPH = /\.jpe?g(?:[?#]|$)|^data:image\/jpeg/i;

/** @param {CSSStyleDeclaration} cs */
function isOpaqueBackground(cs) {
  const image = cs.backgroundImage;
  if (image === 'none' || /^(?:text|border-area)/.test(cs.backgroundClip)) return false;
  const colours = image.match(/rgba?\([^)]*\)/g) ?? [];
  const gradient = /^(?:linear|radial|conic)-gradient\((?:[^()]|\([^()]*\))*\)$/.test(image) && colours.every((colour) => colour.startsWith('rgb(')) && colours.length > 1 && !/color\(|oklch|lab\(/.test(image);
  return gradient && (cs.backgroundSize === 'auto' || cs.backgroundSize === 'cover') || /^url\("[^"]*\.jpe?g"\)$/i.test(image) && cs.backgroundSize === 'cover';
}
