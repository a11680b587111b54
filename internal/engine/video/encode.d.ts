// The library of TypeScript lacks the quantizer of a frame.
interface VideoEncoderEncodeOptions { vp9?: { quantizer: number } }
