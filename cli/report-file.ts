import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** What stands in the way of writing a file, which is not touched; undefined when nothing is seen to. */
export async function unwritable(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return "a directory";
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? unwritableFolder(dirname(path)) : writeErrorText(error);
  }
}

async function unwritableFolder(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? `no folder ${folder}` : `${writeErrorText(error)} in its folder`;
  }
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: "no folder for it",
  EACCES: "no permission to write",
  EPERM: "no permission to write",
  EROFS: "a file system that is read-only",
  EISDIR: "a directory",
  ENOTDIR: "a path through a file that is no directory",
  ELOOP: "a symbolic link that leads to itself",
  ENAMETOOLONG: "a name that is too long",
  ENOSPC: "no space left",
};

/** Why a file could not be written, in a person's words. */
export function writeErrorText(error: unknown): string {
  return errorTexts[errorCode(error)] ?? (error instanceof Error ? error.message : String(error));
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
