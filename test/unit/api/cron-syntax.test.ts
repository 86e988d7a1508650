import { describe, expect, it } from "vitest";
import { cronFault } from "../../../shared/api/cron-syntax.ts";

describe("cronFault", () => {
  it.each(["@daily", "@hourly", "0 9 * * mon-fri", "*/15 0-6,22 1 JAN,jul ?", "5/10 * * * 0"])(
    "accepts %s",
    (schedule) => {
      expect(cronFault(schedule)).toBeUndefined();
    },
  );

  it.each(["", "@reboot", "@every 5m", "* * * *", "* * * * * *", "TZ=UTC * * * * *"])(
    "wants five fields or a macro, not %j",
    (schedule) => {
      expect(cronFault(schedule)).toContain("five cron fields");
    },
  );

  it.each([
    ["60 * * * *", "minute lies in 0 to 59"],
    ["* 24 * * *", "hour lies in 0 to 23"],
    ["* * 0 * *", "day of month lies in 1 to 31"],
    ["* * * foo *", "month lies in 1 to 12"],
    ["* * * * 7", "day of week lies in 0 to 6"],
    ["5-1 * * * *", "minute"],
    ["*/0 * * * *", "minute"],
    ["1-2-3 * * * *", "minute"],
    ["1/2/3 * * * *", "minute"],
    [", * * * *", "minute"],
  ])("refuses %s", (schedule, expected) => {
    expect(cronFault(schedule)).toContain(expected);
  });
});
