// An encoder of JPEG pictures to VP9. Times are in microseconds. add and repeat return the chunks that
// are ready, which are in order of time.
/** @param {{ width: number, height: number, quantizer: number }} options */
async ({ width, height, quantizer }) => {
  /** @type {VideoEncoderConfig} */
  const config = { codec: 'vp09.00.51.08', width, height, bitrateMode: 'quantizer', latencyMode: 'realtime' };
  const { supported } = await VideoEncoder.isConfigSupported(config);
  if (!supported) throw new Error(`this Chromium does not encode VP9 of ${width}x${height}`);
  /** @type {{ key: boolean, at: number, data: string }[]} */
  let chunks = [];
  /** @type {DOMException | null} */
  let failure = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push({ key: chunk.type === 'key', at: chunk.timestamp, data: base64(data) });
    },
    error: (err) => { failure = err; },
  });
  encoder.configure(config);
  const canvas = new OffscreenCanvas(width, height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false, willReadFrequently: true }));

  /** @param {Uint8Array} bytes */
  function base64(bytes) {
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
  }

  function take() {
    if (failure) throw failure;
    const ready = chunks;
    chunks = [];
    return ready;
  }

  /** @param {number} at @param {boolean} key */
  async function repeat(at, key) {
    const frame = new VideoFrame(canvas, { timestamp: at });
    encoder.encode(frame, { keyFrame: key, vp9: { quantizer } });
    frame.close();
    while (encoder.encodeQueueSize > 2 && !failure) {
      await new Promise((resolve) => encoder.addEventListener('dequeue', resolve, { once: true }));
    }
    return take();
  }

  /** @param {string} jpeg @param {number} at @param {boolean} key */
  async function add(jpeg, at, key) {
    const bytes = Uint8Array.from(atob(jpeg), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
    const scale = Math.min(1, width / (picture.width & ~1 || 1), height / (picture.height & ~1 || 1));
    context.fillRect(0, 0, width, height);
    context.drawImage(picture, 0, 0, picture.width * scale, picture.height * scale);
    picture.close();
    return repeat(at, key);
  }

  async function finish() {
    await encoder.flush();
    encoder.close();
    return take();
  }

  return { add, repeat, finish };
}
