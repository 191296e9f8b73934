import type { Pool } from "pg";
import { isPassword } from "./passwords.js";
import { openSession } from "./sessions.js";

export type LoginResult = { kind: "session"; token: string } | { kind: "refused" };

/** Answers alike for an unknown address and for a wrong password. */
export async function logIn(db: Pool, email: string, password: string): Promise<LoginResult> {
  const found = await db.query("select id, password_hash from members where email = $1", [
    email.trim().toLowerCase(),
  ]);
  const member = found.rows[0];
  if (!member || !(await isPassword(password, member.password_hash))) return { kind: "refused" };
  return { kind: "session", token: await openSession(db, member.id) };
}
