import type * as z from "zod";
import { type Fields, type Schema, structuralSchema } from "./structural-schema.ts";

/** A column of `kubectl get`. Those that are `wide` show with `-o wide` alone. */
interface Column {
  readonly name: string;
  readonly path: string;
  readonly type?: "string" | "integer" | "date";
  readonly wide?: true;
}

/** A kind of ours to be: its names, and its schema with what the types do not tell. */
export interface Definition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly category: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly columns: readonly Column[];
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
  readonly schema: z.ZodType;
  readonly fields: Fields;
}

/** Whether Journeyman made a CustomResourceDefinition; one without it is Karpenter's, or somebody's, and stays as it is. */
export const managedByLabel = { "app.kubernetes.io/managed-by": "journeyman" } as const;

export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Schema;
}

/** The definition as an API server takes it: one version, served and stored. */
export function customResourceDefinition(definition: Definition): CustomResourceDefinition {
  const { group, kind, plural, shortNames, category, scope, version, columns, scale, schema, fields } = definition;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: managedByLabel },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        categories: [category],
        ...(shortNames && { shortNames }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {}, ...(scale && { scale }) },
          additionalPrinterColumns: columns.map(({ name, path, type = "string", wide }) => ({
            name,
            type,
            jsonPath: path,
            ...(wide && { priority: 1 }),
          })),
          schema: { openAPIV3Schema: structuralSchema(schema, fields) },
        },
      ],
    },
  };
}

/** Where a condition's status stands. */
export function conditionColumn(type: string): string {
  return `.status.conditions[?(@.type=="${type}")].status`;
}
