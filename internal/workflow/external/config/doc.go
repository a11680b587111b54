// Package config reads servers.json: which MCP servers there are and how each is started or reached.
//
// It knows the format in both spellings (servers, mcpServers), comments and trailing commas, where every value stands, and
// how variables are written in it. It must not start or reach anything, and it never expands a variable before its server
// is needed.
package config
