// Package toolkittest tests the registries that toolgen generates. [Boundaries] holds the decoders against the schemas.
//
// Only tests use it: it links a validator of JSON Schema and a generator of texts. It must not know what the tools of a
// registry are about, nor the compiler.
package toolkittest
