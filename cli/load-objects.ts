import { type Documents, readDocuments } from "../shared/api/documents.ts";
import { checkReferences } from "../shared/api/references.ts";
import { readInputs } from "./read-inputs.ts";

/** The objects behind `-f`, with what is wrong or worth a note in any of them. */
export async function loadObjects(paths: readonly string[], stdin: AsyncIterable<Buffer>): Promise<Documents> {
  const inputs = await readInputs(paths, stdin);
  const documents = readDocuments(inputs.sources);
  const references = checkReferences(documents.objects, documents.undecoded);
  return {
    ...documents,
    notes: [...documents.notes, ...references.notes],
    problems: [...inputs.problems, ...documents.problems, ...references.problems],
  };
}
