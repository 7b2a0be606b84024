// The parsed content of a Go file: names, types as they are written, tags and comments. Names are not resolved yet.

/** A line of a comment without its slashes, and its number in the file. */
export interface CommentLine {
  readonly text: string
  readonly line: number
}

/** A type as it is written in the source. */
export type GoType =
  | GoNamedType
  | { readonly kind: "pointer" | "slice" | "array"; readonly element: GoType }
  | { readonly kind: "map"; readonly key: GoType; readonly element: GoType }
  | { readonly kind: "struct"; readonly fields: readonly GoField[] }
  | { readonly kind: "interface" }
  /** A type that JSON can't represent, or that only generic code uses. */
  | { readonly kind: "other"; readonly text: string }

/** The name of a type. */
export interface GoNamedType {
  readonly kind: "named"
  /** The qualifier before the dot; "" without one. */
  readonly package: string
  readonly name: string
  /** The type arguments of a generic type; undefined without brackets. */
  readonly args?: readonly GoType[]
}

/** A field of a struct. */
export interface GoField {
  /** The Go name. An embedded field has the name of its type. */
  readonly name: string
  readonly type: GoType
  readonly embedded: boolean
  /** The values of the struct tag by key: `json`, `patchStrategy`. */
  readonly tags: ReadonlyMap<string, string>
  readonly line: number
  /** The comment that ends on the line before. */
  readonly doc: readonly CommentLine[]
  /** The comment that a blank line separates from `doc`, or from the field. */
  readonly detached: readonly CommentLine[]
  /** The comment after the field on its line. */
  readonly trailing: readonly CommentLine[]
}

/** A type declaration. */
export interface GoTypeDecl extends Pick<GoField, "name" | "type" | "line" | "doc" | "detached"> {
  /** Whether it is another name of the type (`type A = B`). */
  readonly alias: boolean
  /** The names of the parameters of a generic type. */
  readonly params: readonly string[]
}

/** A constant. */
export interface GoConst {
  readonly name: string
  /** The type it is declared with, or converted to; undefined for an untyped constant. */
  readonly type: GoType | undefined
  readonly value: GoConstValue
  readonly doc: readonly CommentLine[]
}

/** The expression of a constant: the parts of a string, in order. Undefined for constants that are not strings. */
export type GoConstValue = readonly (string | { readonly package: string; readonly name: string })[] | undefined

/** A file. */
export interface GoFile {
  readonly file: string
  readonly packageName: string
  /** All comments before the package clause. */
  readonly packageDoc: readonly CommentLine[]
  /** The alias "." imports all names of the package without a qualifier. */
  readonly imports: readonly { readonly alias: string | undefined; readonly path: string }[]
  readonly types: readonly GoTypeDecl[]
  readonly consts: readonly GoConst[]
  /** The strings in the bodies of methods, by type and method (`Time.OpenAPISchemaType`). */
  readonly methods: ReadonlyMap<string, readonly string[]>
}
