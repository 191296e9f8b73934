import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SealedSecret {
  readonly keyId: string;
  readonly sealed: Buffer;
}

const NONCE = 12;
const TAG = 16;

/** Keys by id, so that a new key can be introduced while old secrets still open. */
export type KeyRing = ReadonlyMap<string, Buffer>;

export function newSecret(): Buffer {
  return randomBytes(20);
}

export function seal(secret: Buffer, keys: KeyRing, keyId: string): SealedSecret {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", keyOf(keys, keyId), nonce);
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  return { keyId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
}

export function open({ keyId, sealed }: SealedSecret, keys: KeyRing): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", keyOf(keys, keyId), sealed.subarray(0, NONCE));
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]);
}

function keyOf(keys: KeyRing, id: string): Buffer {
  const key = keys.get(id);
  if (!key) throw new Error(`no key ${id} to open second factors with`);
  return key;
}
