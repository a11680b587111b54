"use strict";

// Checks the program that npm installed, and puts it in the place of the shim. Nothing is fetched.

const { execFileSync } = require("child_process");
const { createHash } = require("crypto");
const fs = require("fs");
const path = require("path");
const { installed, supported, variable, version } = require("./lib/program.js");

const shim = path.join(__dirname, "bin", "callsheet");

// check compares a program with the digest that the release wrote into package.json.
function check(program, want) {
  const have = createHash("sha256").update(fs.readFileSync(program)).digest("hex");
  if (have !== want) {
    throw new Error(`${program} is not the program of this release: its SHA-256 is ${have}, not ${want}`);
  }
}

// stays reports whether the shim has to stay: npm starts it with Node.js on Windows, and so does Yarn.
function stays() {
  return process.platform === "win32" || /^yarn\//.test(process.env.npm_config_user_agent || "");
}

// replace puts a program in the place of a file in one step, so that no start meets half a file.
function replace(program, file) {
  const next = `${file}.${process.pid}`;
  try {
    try {
      fs.linkSync(program, next);
    } catch {
      fs.copyFileSync(program, next); // another file system, or one without links
    }
    fs.chmodSync(next, 0o755);
    fs.renameSync(next, file);
  } finally {
    fs.rmSync(next, { force: true }); // renaming a link onto itself leaves it
  }
}

try {
  if (!process.env[variable]) {
    const program = installed();
    const site = path.join(path.dirname(program), path.basename(supported().siteFile)); // the server looks for it beside itself
    check(program, supported().sha256);
    check(site, supported().siteSha256);
    if (!stays()) {
      replace(site, path.join(path.dirname(shim), path.basename(site)));
      replace(program, shim);
    }
    const command = stays() ? program : shim;
    const answer = execFileSync(command, ["--version"], { stdio: ["ignore", "pipe", "inherit"] }).toString().trim();
    if (answer !== `callsheet ${version}`) throw new Error(`${command} says ${JSON.stringify(answer)}, not ${version}`);
  }
} catch (err) {
  process.stderr.write(`callsheet: ${err.message}\n`);
  process.exit(1);
}
