"use strict";

// Finds the program of this system. Nothing here writes to standard output, which belongs to the
// protocol.

const path = require("path");
const manifest = require("../package.json");

const variable = "CALLSHEET_BINARY_PATH";

// supported returns the entry of this system in package.json.
function supported() {
  const key = `${process.platform}-${process.arch}`;
  const entry = manifest.callsheet[key];
  if (!entry) {
    const known = Object.keys(manifest.callsheet).join(", ");
    throw new Error(`no program for ${key}; there are programs for ${known}. Set ${variable} to one that you built.`);
  }
  return entry;
}

// installed returns the file of this system's package.
function installed() {
  const entry = supported();
  try {
    return path.join(path.dirname(require.resolve(`${entry.package}/package.json`)), entry.file);
  } catch {
    throw new Error(
      `the package ${entry.package} is missing. It is an optional dependency: install again without --omit=optional or ` +
        `--no-optional, on this system, and without a node_modules that was copied from another. Or set ${variable}.`,
    );
  }
}

// located returns the program to run: the one that the variable names, or the installed one.
function located() {
  return process.env[variable] || installed();
}

module.exports = { installed, located, supported, variable, version: manifest.version };
