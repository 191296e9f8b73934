import type { Pool } from "pg";

export interface OverdueLine {
  readonly tool: string;
  readonly member: string;
  readonly address: string;
  readonly daysLate: number;
}

/** What a steward takes along on a round: who has what, and where they live. */
export async function overdueRound(db: Pool): Promise<OverdueLine[]> {
  const found = await db.query(`
    select t.name as tool, m.name as member, m.address, current_date - l.due_on as "daysLate"
    from loans l join tools t on t.id = l.tool_id join members m on m.id = l.member_id
    where l.returned_on is null and l.due_on < current_date
    order by l.due_on, m.address
  `);
  return found.rows;
}
