import { createHash, randomBytes } from "node:crypto";
import type { Pool } from "pg";

const LIFETIME = "14 days";

export async function openSession(db: Pool, memberId: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db.query(
    "insert into sessions (token_hash, member_id, expires_at) values ($1, $2, now() + $3::interval)",
    [digest(token), memberId, LIFETIME],
  );
  return token;
}

export async function memberOf(db: Pool, token: string): Promise<number | null> {
  const found = await db.query(
    "select member_id from sessions where token_hash = $1 and expires_at > now()",
    [digest(token)],
  );
  return found.rows[0]?.member_id ?? null;
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
