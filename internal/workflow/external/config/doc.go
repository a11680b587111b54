// Package config reads servers.json: which MCP servers are configured and how each is started or
// reached.
//
// It accepts both wrappers (servers, mcpServers), comments and trailing commas, keeps the position
// of every value, and expands variables. It must not start or connect to a server, and it expands
// variables only when a server is needed.
package config
