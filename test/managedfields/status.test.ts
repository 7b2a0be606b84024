import { describe, expect, it, vi } from "vitest"
import { UnionError } from "../../src/errors.js"
import { pathOf } from "../../src/fieldpath/path.js"
import { ApplyConflictError, BadRequestError, InvalidError, statusOf } from "../../src/managedfields/chain/status.js"
import { managerId } from "../../src/managedfields/entries/manager-id.js"
import type { Conflict } from "../../src/merge/conflict.js"
import { during } from "../../src/merge/versions.js"
import type { MapValue } from "../../src/value/value.js"
import { deployment, fieldManager } from "./notation.js"

const updater = managerId({ manager: "u", operation: "Update", apiVersion: "v1" })
const applier = managerId({ manager: "a", operation: "Apply" })
const scaler = managerId({ manager: "u", operation: "Update", apiVersion: "v1", subresource: "scale" })
const at = (manager: string, ...path: string[]): Conflict => ({ manager, path: pathOf(...path) })
const envelope = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" }

describe("a conflict", () => {
  it.each<[string, Conflict[], string]>([
    [
      "one with an updater",
      [at(updater, "spec", "replicas")],
      'Apply failed with 1 conflict: conflict with "u" using v1: .spec.replicas',
    ],
    [
      "one with a subresource",
      [at(scaler, "spec", "replicas")],
      'Apply failed with 1 conflict: conflict with "u" with subresource "scale" using v1: .spec.replicas',
    ],
    ["one with an applier", [at(applier, "spec")], 'Apply failed with 1 conflict: conflict with "a": .spec'],
    ["one with who has no identifier", [at("x", "spec")], 'Apply failed with 1 conflict: conflict with "x": .spec'],
    [
      "several with one manager",
      [at(applier, "b"), at(applier, "a")],
      'Apply failed with 2 conflicts: conflicts with "a":\n- .b\n- .a',
    ],
    [
      "several with several managers, sorted by their identifiers",
      [at(scaler, "c"), at(updater, "b"), at(applier, "a"), at(applier, "d")],
      'Apply failed with 4 conflicts: conflicts with "a":\n- .a\n- .d\nconflicts with "u" with subresource "scale" using v1:\n- .c\nconflicts with "u" using v1:\n- .b',
    ],
  ])("has the message of an API server: %s", (_, conflicts, message) => {
    expect(new ApplyConflictError(conflicts).message).toBe(message)
  })

  it("becomes the Status of an API server", () => {
    const error = new ApplyConflictError([at(updater, "spec", "replicas"), at(applier, "spec", "paused")])
    expect(error.toStatus()).toEqual({
      ...envelope,
      message: error.message,
      reason: "Conflict",
      details: {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.paused" },
          { reason: "FieldManagerConflict", message: 'conflict with "u" using v1', field: ".spec.replicas" },
        ],
      },
      code: 409,
    })
    expect(Object.keys(error.toStatus())).toEqual([
      "kind",
      "apiVersion",
      "metadata",
      "status",
      "message",
      "reason",
      "details",
      "code",
    ])
  })

  it("becomes the text that kubectl prints", () => {
    const lines = new ApplyConflictError([at(applier, "spec")]).toKubectlText().split("\n")
    expect(lines[0]).toBe('error: Apply failed with 1 conflict: conflict with "a": .spec')
    expect(lines[1]).toBe("Please review the fields above--they currently have other managers. Here")
    expect(lines.at(-1)).toBe("See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts")
    expect(lines).toHaveLength(12)
  })

  it("names the owner of the field", () => {
    const { conflicts, code } = new ApplyConflictError([at(scaler, "spec")])
    expect(conflicts[0]?.owner).toEqual({ manager: "u", operation: "Update", apiVersion: "v1", subresource: "scale" })
    expect(conflicts.map(({ field }) => field)).toEqual([".spec"])
    expect(code).toBe("conflict")
  })

  it("has the engine's error as its cause", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, deployment({ replicas: 1 }), { manager: "u" }).object
    const attempt = manager.tryApply(live, deployment({ replicas: 2 }), { manager: "a" })
    if (attempt.ok) throw new Error("there should be a conflict")
    expect(attempt.error).toBeInstanceOf(ApplyConflictError)
    expect((attempt.error.cause as Error).message).toContain("conflict with ")
  })
})

describe("statusOf", () => {
  it("is 400 for a bad request", () => {
    const message = "metadata.managedFields must be nil"
    expect(statusOf(new BadRequestError(message))).toEqual({ ...envelope, message, reason: "BadRequest", code: 400 })
  })

  it("is 500 for anything else, as in an API server", () => {
    expect(statusOf(new RangeError("x"))).toEqual({ ...envelope, message: "x", code: 500 })
  })
})

describe("errors of another copy of the package", () => {
  /** The same modules loaded once more: their classes are others. */
  async function anotherCopy() {
    vi.resetModules()
    const [errors, status, finder] = await Promise.all([
      import("../../src/errors.js"),
      import("../../src/managedfields/chain/status.js"),
      import("../../src/openapi/conversion/errors.js"),
    ])
    return { ...errors, ...status, ...finder }
  }

  it("have the Status of our own", async () => {
    const copy = await anotherCopy()
    expect(copy.BadRequestError).not.toBe(BadRequestError)
    expect(statusOf(new copy.BadRequestError("x"))).toEqual(statusOf(new BadRequestError("x")))
    const conflicts = [at(scaler, "spec")]
    expect(statusOf(new copy.ApplyConflictError(conflicts))).toEqual(statusOf(new ApplyConflictError(conflicts)))
    const cause = new UnionError([{ path: ".spec", message: "x" }])
    const object = deployment({})
    expect(statusOf(new copy.InvalidError(object as unknown as MapValue, cause))).toEqual(
      statusOf(new InvalidError(object as unknown as MapValue, cause)),
    )
  })

  it("are errors of the object if a source of types or a converter throws them", async () => {
    const copy = await anotherCopy()
    const error = new copy.OpenAPIError("no good", [])
    const types = {
      find() {
        throw error
      },
    }
    const config = deployment({ replicas: 1 })
    expect(fieldManager({ types }).tryApply(undefined, config, { manager: "a" })).toEqual({ ok: false, error })
    expect(fieldManager({ types }).updateLeniently(undefined, config, { manager: "a" }).error).toBe(error)
    expect(() =>
      during("converting", () => {
        throw new copy.UnionError([{ path: "", message: "x" }])
      }),
    ).toThrow(expect.objectContaining({ code: "union", message: "converting: x" }))
  })

  it("do not include errors with other codes", () => {
    const types = {
      find() {
        throw Object.assign(new Error("x"), { code: "ENOENT" })
      },
    }
    expect(() => fieldManager({ types }).tryApply(undefined, deployment({}), { manager: "a" })).toThrow("x")
  })
})
