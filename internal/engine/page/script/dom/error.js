// Errors that the Go side turns into typed ones.

export class EngineError extends Error {
  /** @param {string} kind @param {Record<string, unknown>} data */
  constructor(kind, data) {
    super(kind);
    this.kind = kind;
    this.data = data;
  }
}
