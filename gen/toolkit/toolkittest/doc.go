// Package toolkittest tests servers of registries that toolgen generates. [New] gives a test a client of a server in memory: it
// calls tools, sets facts, awaits changes of lists and compares lists with golden files. [Dial] does the same with a server that
// is reached in another way. [Boundaries] holds the decoders against the schemas.
//
// Only tests use it: it links a validator of JSON Schema and a generator of texts, which no server does. It must not know what
// the tools of a registry are about, nor the compiler.
package toolkittest
