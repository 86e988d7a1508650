import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/**
 * Ports of the loopback interface that nobody listens on. They lie below the range of outgoing connections (32768 and up on Linux): a
 * client that keeps calling a server which is down could otherwise be given the server's own port, and keep it from coming back.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  try {
    while (held.length < count) {
      const server = await listening(randomInt(15_000, 32_000));
      if (server !== undefined) held.push(server);
    }
    return held.map((server) => {
      const address = server.address();
      return typeof address === "object" && address !== null ? address.port : 0;
    });
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function listening(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
