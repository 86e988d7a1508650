import { describe, expect, it } from "vitest";
import { EventLoop } from "../../../shared/simulator/event-loop.ts";
import { Random } from "../../../shared/simulator/random.ts";

describe("EventLoop", () => {
  it("runs tasks by time, and tasks of one instant in the order of scheduling", async () => {
    const loop = new EventLoop(1_000);
    const history: string[] = [];
    const note = (text: string) => () => void history.push(`${text}@${loop.now()}`);
    loop.schedule(20, "late", note("late"));
    loop.schedule(10, "first", note("first"));
    loop.schedule(10, "second", note("second"));
    loop.schedule(-5, "overdue", note("overdue"));
    await loop.runUntil(1_015);
    expect(history).toEqual(["overdue@1000", "first@1010", "second@1010"]);
    expect(loop.now()).toBe(1_015);
    await loop.runUntilIdle(5_000);
    expect(history.at(-1)).toBe("late@1020");
    expect(loop.now()).toBe(1_020);
  });

  it("runs other tasks while one sleeps", async () => {
    const loop = new EventLoop(0);
    const history: string[] = [];
    loop.schedule(0, "sleeper", async () => {
      history.push("asleep");
      await loop.sleep(100);
      history.push("awake");
    });
    loop.schedule(50, "other", () => void history.push("other"));
    await loop.runUntilIdle(1_000);
    expect(history).toEqual(["asleep", "other", "awake"]);
  });

  it("lets every promise settle before the next task of the same instant", async () => {
    const loop = new EventLoop(0);
    const history: string[] = [];
    loop.schedule(0, "promises", async () => {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      history.push("settled");
    });
    loop.schedule(0, "next", () => void history.push("next"));
    await loop.runUntilIdle(0);
    expect(history).toEqual(["settled", "next"]);
  });

  it("does not run a cancelled task", async () => {
    const loop = new EventLoop(0);
    let ran = false;
    loop
      .schedule(10, "cancelled", () => {
        ran = true;
      })
      .cancel();
    await loop.runUntilIdle(1_000);
    expect(ran).toBe(false);
    expect(loop.now()).toBe(0);
  });

  it("stops at the limit when tasks renew themselves for ever", async () => {
    const loop = new EventLoop(0);
    let ticks = 0;
    const tick = () => {
      ticks += 1;
      loop.schedule(60_000, "tick", tick);
    };
    loop.schedule(0, "tick", tick);
    await loop.runUntilIdle(150_000);
    expect(ticks).toBe(3);
    expect(loop.now()).toBe(150_000);
  });

  it("rejects with the task's name and the cause when a task fails, now or after a sleep", async () => {
    const loop = new EventLoop(0);
    const cause = new Error("a bug");
    loop.schedule(0, "buggy", async () => {
      await loop.sleep(5);
      throw cause;
    });
    await expect(loop.runUntil(10)).rejects.toMatchObject({
      message: 'task "buggy" at 1970-01-01T00:00:00.005Z: a bug',
      cause,
    });
  });

  it("gives a failure to the task's own handler instead", async () => {
    const loop = new EventLoop(0);
    const failures: unknown[] = [];
    const fail = () => {
      throw new Error("expected");
    };
    loop.schedule(0, "handled", fail, (error) => failures.push(error));
    await loop.runUntil(10);
    expect(failures).toEqual([new Error("expected")]);
  });

  it("passes the outcome of a promise on, and says so when it never settles", async () => {
    const loop = new EventLoop(0);
    await expect(
      loop.runUntilSettled(
        loop.sleep(70).then(() => "done"),
        100,
      ),
    ).resolves.toBe("done");
    expect(loop.now()).toBe(70);
    await expect(loop.runUntilSettled(new Promise(() => {}), 100)).rejects.toThrow("has not settled");
  });

  it("keeps the order of a thousand tasks", async () => {
    const loop = new EventLoop(0);
    const random = new Random(7);
    const times: number[] = [];
    for (let count = 0; count < 1_000; count++) {
      loop.schedule(random.integer(0, 500), "any", () => void times.push(loop.now()));
    }
    await loop.runUntilIdle(1_000);
    expect(times).toHaveLength(1_000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});
