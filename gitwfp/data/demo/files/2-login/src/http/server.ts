import fastify from "fastify";
import pg from "pg";
import { logIn } from "../auth/login.js";

const db = new pg.Pool();
const server = fastify({ logger: true });

server.post<{ Body: { email: string; password: string } }>("/login", async (request, reply) => {
  const result = await logIn(db, request.body.email, request.body.password);
  if (result.kind === "refused") return reply.code(401).send({ error: "wrong e-mail or password" });
  return reply
    .header("set-cookie", `session=${result.token}; HttpOnly; Secure; SameSite=Lax; Path=/`)
    .send({ ok: true });
});

await server.listen({ port: Number(process.env.PORT ?? 3000) });
