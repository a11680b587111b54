// Errors that the Go side turns into typed ones.

export class EngineError extends Error {
  constructor(kind, data) {
    super(kind);
    this.kind = kind;
    this.data = data;
  }
}
