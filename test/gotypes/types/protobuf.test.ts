/** Reads Go types that protoc-gen-go made from protobuf messages. */
import { describe, expect, it } from "vitest"
import { type GoTypes, readGoTypes } from "../../../src/gotypes/index.js"
import { compileRules } from "../../../src/validation/index.js"
import { definitionOf, typeNamed } from "../support.js"

const messages = `package v1

import (
	duration "github.com/golang/protobuf/ptypes/duration"
	"google.golang.org/protobuf/types/known/structpb"
	wrappers "google.golang.org/protobuf/types/known/wrapperspb"
)

type Plan struct {
	state   protoimpl.MessageState \`protogen:"open.v1"\`
	MaxSize uint64 \`protobuf:"varint,1,opt,name=max_size,json=maxSize,proto3" json:"max_size,omitempty"\`
	Mode    Plan_Mode \`protobuf:"varint,2,opt,name=mode,proto3,enum=a.Plan_Mode" json:"mode,omitempty"\`
	Modes   []Plan_Mode \`protobuf:"varint,3,rep,packed,name=modes,proto3,enum=a.Plan_Mode" json:"modes,omitempty"\`
	Labels  map[string]string \`protobuf:"bytes,4,rep,name=labels,proto3" json:"labels,omitempty" protobuf_key:"bytes,1,opt,name=key,proto3"\`
	Timeout *duration.Duration \`protobuf:"bytes,5,opt,name=timeout,proto3" json:"timeout,omitempty"\`
	Limit   *wrappers.UInt32Value \`protobuf:"bytes,6,opt,name=limit,proto3" json:"limit,omitempty"\`
	Any     *structpb.Value \`protobuf:"bytes,7,opt,name=any,proto3" json:"any,omitempty"\`
	// How to choose.
	//
	// Types that are valid to be assigned to Choice:
	//
	//	*Plan_FirstWay
	//	*Plan_Second
	Choice isPlan_Choice \`protobuf_oneof:"choice"\`
	unknownFields protoimpl.UnknownFields
}

func (x *Plan) ProtoReflect() protoreflect.Message { return nil }
func (x *Plan) UnmarshalJSON(b []byte) error { return nil }

type Plan_Mode int32

const Plan_FAST Plan_Mode = 0

func (Plan_Mode) EnumDescriptor() ([]byte, []int) { return nil, nil }

type isPlan_Choice interface {
	isPlan_Choice()
}

type Plan_FirstWay struct {
	// +k8s:maxLength=1
	FirstWay string \`protobuf:"bytes,8,opt,name=first_way,json=firstWay,proto3,oneof"\`
}

type Plan_Second struct {
	Second *Plan \`protobuf:"bytes,9,opt,name=second,proto3,oneof"\`
}

func (*Plan_FirstWay) isPlan_Choice() {}
func (*Plan_Second) isPlan_Choice() {}
`
const kind = `package v1

import api "example.com/plans"

type T struct {
	Spec api.Plan \`json:"spec,omitempty"\`
}
`

const read = () =>
  readGoTypes({ "t.go": kind }, { resolve: path => (path === "example.com/plans" ? { "p.go": messages } : undefined) })

describe("protobuf messages", () => {
  it("have the fields of protobuf's JSON", async () => {
    const fields = typeNamed(await read(), "com.example.plans.Plan").map?.fields
    expect(Object.fromEntries(fields?.map(({ name, type }) => [name, type]) ?? [])).toMatchObject({
      maxSize: { scalar: "numeric" },
      mode: { scalar: "string" },
      modes: { list: { elementType: { scalar: "string" } } },
      labels: { map: { elementType: { scalar: "string" } } },
      timeout: { scalar: "string" },
      limit: { scalar: "numeric" },
      any: { scalar: "untyped", list: {}, map: {} },
      firstWay: { scalar: "string" },
      second: { namedType: "com.example.plans.Plan" },
    })
    expect(fields).toHaveLength(9)
  })

  it("have unions of the fields of a oneof, and no fields that are required", async () => {
    const found = await read()
    expect(found.unions.types).toEqual([
      {
        name: "com.example.plans.Plan",
        unions: [{ fields: [{ fieldName: "firstWay" }, { fieldName: "second" }], cardinality: "atMostOne" }],
      },
    ])
    expect(definitionOf(found, "com.example.plans.Plan").required).toBeUndefined()
    expect(found.warnings).toEqual([])
  })

  it("may have their methods in one of several files", async () => {
    const split = messages.indexOf("func (x *Plan)")
    const files = {
      "p.go": messages.slice(0, split),
      "methods.go": `package v1\n${messages.slice(split)}`,
      "doc.go": "// Package v1 is one.\npackage v1",
    }
    const found = await readGoTypes({ "t.go": kind }, { resolve: () => files })
    const fieldsOf = (types: GoTypes) => typeNamed(types, "com.example.plans.Plan").map?.fields
    expect(fieldsOf(found)).toEqual(fieldsOf(await read()))
    expect(found.unions.types).toEqual((await read()).unions.types)
  })

  it("have no union of a oneof with one field", async () => {
    const [second, method] = [messages.indexOf("type Plan_Second struct"), "func (*Plan_Second) isPlan_Choice() {}\n"]
    const single =
      messages.slice(0, second) + messages.slice(messages.indexOf("func (*Plan_FirstWay)")).replace(method, "")
    const found = await readGoTypes({ "t.go": kind }, { resolve: () => ({ "p.go": single }) })
    const names = typeNamed(found, "com.example.plans.Plan").map?.fields?.map(({ name }) => name)
    expect([names?.includes("firstWay"), names?.includes("second")]).toEqual([true, false])
    expect(found.unions.types).toEqual([])
  })

  it("are opaque to rules, and placed where their fields are", async () => {
    const found = await read()
    expect(compileRules(found.rules, "T").validate({ spec: { firstWay: "long" } })).toEqual([])
    const line = messages.split("\n").findIndex(text => text.includes("FirstWay string")) + 1
    expect(found.placeOf("com.example.plans.Plan", ["firstWay"])).toMatchObject({ line, type: "Plan_FirstWay" })
  })
})
