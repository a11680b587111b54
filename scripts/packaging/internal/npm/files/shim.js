#!/usr/bin/env node
"use strict";

// Runs the program in a process of its own. The installation puts the program in the place of this
// file where it can, so that no second process is needed; it stays on Windows, with
// --ignore-scripts, and where CALLSHEET_BINARY_PATH was set.

const { spawn } = require("child_process");
const { located } = require("../lib/program.js");

const exitTransport = 3; // as the program's own code for what keeps it from working

function fail(message) {
  process.stderr.write(`callsheet: ${message}\n`);
  process.exit(exitTransport);
}

let program;
try {
  program = located();
} catch (err) {
  fail(err.message);
}

// The handlers are there before the program is, so that no signal ends this process and leaves the program running.
// A terminal sends SIGINT and SIGHUP to both processes; the program would take a second one as impatience.
let child;
const fromTerminal = process.stdin.isTTY ? ["SIGINT", "SIGHUP"] : [];
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(signal, () => {
    if (!fromTerminal.includes(signal)) child.kill(signal);
  });
}
child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
child.on("error", (err) => fail(`cannot run ${program}: ${err.message}`));
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
