import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(scrypt) as (password: string, salt: Buffer, length: number) => Promise<Buffer>;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password.normalize("NFKC"), salt, 32);
  return `${salt.toString("base64")}:${key.toString("base64")}`;
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [salt, key] = stored.split(":").map((part) => Buffer.from(part, "base64"));
  return timingSafeEqual(key, await derive(password.normalize("NFKC"), salt, key.length));
}
