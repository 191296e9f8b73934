import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { newSecret, open, seal } from "../../src/auth/secrets.js";

test("a secret opens with the key that sealed it, also after a new key came", () => {
  const ring = new Map([["2025-01", randomBytes(32)]]);
  const secret = newSecret();
  const sealed = seal(secret, ring, "2025-01");
  ring.set("2025-03", randomBytes(32));
  assert.deepEqual(open(sealed, ring), secret);
});

test("a secret that was tampered with does not open", () => {
  const ring = new Map([["2025-01", randomBytes(32)]]);
  const sealed = seal(newSecret(), ring, "2025-01");
  sealed.sealed[sealed.sealed.length - 1] ^= 1;
  assert.throws(() => open(sealed, ring));
});
