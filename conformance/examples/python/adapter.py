"""Answers the levels "paths" and "sets" of the conformance suite: values, path elements, FieldsV1 and sets of paths.

    node run.mjs --level paths --level sets -- python3 examples/python/adapter.py
"""

import decimal
import functools
import json
import math
import re
import sys


def refuse(word):
    raise ValueError(word)


def read_json(text):
    return json.loads(text, parse_constant=refuse)


def number_text(number):
    if isinstance(number, int):
        return str(number)
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    if 1e-6 <= abs(number) < 1e21:
        text = format(decimal.Decimal(repr(number)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return exponent_text(number)


def exponent_text(number):
    sign, digits, exponent = decimal.Decimal(repr(number)).normalize().as_tuple()
    exponent += len(digits) - 1
    text = "".join(map(str, digits))
    text = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{'-' if sign else ''}{text}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def string_text(text, html):
    out = json.dumps(re.sub("[\ud800-\udfff]", "\ufffd", text), ensure_ascii=False)
    for char in "<>&\u2028\u2029" if html else "":
        out = out.replace(char, f"\\u{ord(char):04x}")
    return out


def write_json(value, html=True):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value, html)
    if isinstance(value, list):
        return f"[{','.join(write_json(item, html) for item in value)}]"
    entries = sorted(value.items(), key=lambda entry: entry[0].encode())
    return "{" + ",".join(f"{string_text(name, False)}:{write_json(item, html)}" for name, item in entries) + "}"


def person_text(value):
    """The text of a value in messages (rule V7)."""
    if isinstance(value, dict):
        return ";".join(f"{name}={person_text(value[name])}" for name in sorted(value, key=str.encode))
    if isinstance(value, list):
        return f"[{','.join(map(person_text, value))}]"
    if isinstance(value, str):
        text = re.sub(r"\\u00([01].)", r"\\x\1", string_text(value, False))
        return "".join(char if char.isprintable() else invisible(char) for char in text)
    if isinstance(value, float) and value != 0 and not 1e-4 <= abs(value) < 1e6:
        return exponent_text(value)
    return write_json(value, False)


def invisible(char):
    return f"\\x{ord(char):02x}" if ord(char) < 128 else f"\\u{ord(char):04x}"


# The order of values (rules V3 to V5).
def rank(value):
    if value is None:
        return 6
    if isinstance(value, bool):
        return 3
    return {int: 1, float: 1, str: 2, list: 4, dict: 5}[type(value)]


def compare(a, b):
    if rank(a) != rank(b):
        return -1 if rank(a) < rank(b) else 1
    if isinstance(a, list):
        for x, y in zip(a, b):
            if compare(x, y) != 0:
                return compare(x, y)
        return order(len(a), len(b))
    if isinstance(a, dict):
        return compare_maps(a, b)
    if isinstance(a, str):
        return order(a.encode(), b.encode())
    if a is None:
        return 0
    if isinstance(a, float) or isinstance(b, float):
        return order(float(a), float(b))
    return order(a, b)


def order(a, b):
    return (a > b) - (a < b)


def compare_maps(a, b):
    left, right = (sorted(names, key=str.encode) for names in (a, b))
    for x, y in zip(left, right):
        if x != y:
            return order(x.encode(), y.encode())
        if compare(a[x], b[y]) != 0:
            return compare(a[x], b[y])
    return order(len(left), len(right))


# Path elements: (kind, content), with the kinds in their order (rules P1 to P8).
KINDS = "fkvi"


def read_element(text):
    if len(text.encode()) < 2 or text[1] != ":":
        raise ValueError(f"missing colon: {text}")
    kind, content = text[0], text[2:]
    if kind not in KINDS:
        raise KeyError(kind)
    if kind == "i":
        if not re.fullmatch(r"[+-]?\d+", content) or not -(2**63) <= int(content) < 2**63:
            raise ValueError(content)
        return kind, int(content)
    if kind == "f":
        return kind, content
    value = json.loads(content, parse_int=float, parse_constant=refuse)  # numbers are floats (rule P4)
    value = {} if kind == "k" and value is None else value
    if kind == "k" and not isinstance(value, dict):
        raise ValueError(content)
    return kind, value


def element_text(element):
    kind, content = element
    return f"{kind}:{content if kind in 'fi' else write_json(content)}"


def element_string(element):
    kind, content = element
    if kind == "f":
        return f".{content}"
    if kind == "i":
        return f"[{content}]"
    if kind == "v":
        return f"[={person_text(content)}]"
    names = sorted(content, key=str.encode)
    return f"[{','.join(f'{name}={person_text(content[name])}' for name in names)}]"


def compare_elements(a, b):
    if a[0] != b[0]:
        return order(KINDS.index(a[0]), KINDS.index(b[0]))
    return compare_maps(a[1], b[1]) if a[0] == "k" else compare(a[1], b[1])


def compare_paths(a, b):
    for x, y in zip(a, b):
        if compare_elements(x, y) != 0:
            return compare_elements(x, y)
    return order(len(a), len(b))


by_element = functools.cmp_to_key(compare_elements)


# Sets: a list of (element, is member, set below), sorted (rules S1 to S13).
class Set:
    def __init__(self, entries=()):
        kept = [entry for entry in entries if entry[1] or entry[2].entries]
        self.entries = sorted(kept, key=lambda entry: by_element(entry[0]))

    def at(self, element):
        for entry in self.entries:
            if compare_elements(entry[0], element) == 0:
                return entry
        return element, False, Set()

    def combine(self, other, decide):
        elements = [entry[0] for entry in self.entries]
        elements += [entry[0] for entry in other.entries if self.at(entry[0]) not in self.entries]
        pairs = [(self.at(element), other.at(element)) for element in elements]
        return Set((a[0], decide(a[1], b[1]), a[2].combine(b[2], decide)) for a, b in pairs)

    def without_below(self, other):
        out = []
        for element, member, below in self.entries:
            _, goes, deeper = other.at(element)
            if not goes:
                out.append((element, member, below.without_below(deeper)))
        return Set(out)

    def has(self, path):
        if not path:
            return False
        _, member, below = self.at(path[0])
        return member if len(path) == 1 else below.has(path[1:])

    def insert(self, path):
        if not path:
            return self
        one = Set()
        for i, element in reversed(list(enumerate(path))):
            one = Set([(element, i == len(path) - 1, one)])
        return self.combine(one, lambda a, b: a or b)

    def leaves(self):
        return Set((element, member and not below.entries, below.leaves()) for element, member, below in self.entries)

    def paths(self):
        out = [[element] for element, member, _ in self.entries if member]
        return out + [[element, *path] for element, _, below in self.entries for path in below.paths()]

    def matching(self, patterns):
        out = []
        if any(p[0] == "*" for p in patterns):  # a wildcard hides the names beside it
            patterns = [p for p in patterns if p[0] == "*"]
        for element, member, below in self.entries:
            rest = [p[1:] for p in patterns if p[0] == "*" or compare_elements(p[0], element) == 0]
            if [] in rest:
                out.append((element, member, below))
            elif rest:
                out.append((element, member, below.matching(rest)))
        return Set(out)

    def text(self):
        return "{" + ",".join(self.entry_text(*entry) for entry in self.entries) + "}"

    def entry_text(self, element, member, below):
        dot = '".":{},' if member and below.entries else ""
        return f"{string_text(element_text(element), False)}:{{{dot}{below.text()[1:-1]}}}"


class Pairs(list):
    """A JSON object as its entries, since an element may occur twice."""


def read_set(operand):
    if not isinstance(operand, str):
        operand = json.dumps(operand)
    return set_of(json.loads(operand, object_pairs_hook=Pairs))[0]


def set_of(pairs):
    """Returns a set, and whether the object it is read from makes its element a member."""
    if pairs is None:
        return Set(), True
    if not isinstance(pairs, Pairs):
        raise ValueError("expected an object")
    found, dot = [], False
    for name, value in pairs:
        if name == ".":
            dot = True
            continue
        try:
            element = read_element(name)
        except KeyError:
            continue
        below, member = set_of(value)
        for entry in [entry for entry in found if compare_elements(entry[0], element) == 0]:
            found.remove(entry)
            member = member or entry[1]
            element = entry[0] if entry[2].entries or not below.entries else element
            below = below if below.entries else entry[2]
        found.append((element, member, below))
    return Set(found), dot or not found


def set_of_value(value):
    entries = []
    if isinstance(value, dict):
        entries = [(("f", name), item) for name, item in value.items()]
    elif isinstance(value, list):
        entries = [(item_element(i, item), item) for i, item in enumerate(value)]
    return Set((element, not isinstance(item, (dict, list)), set_of_value(item)) for element, item in entries)


def item_element(i, item):
    names = ("key", "id", "name") if isinstance(item, dict) else ()
    key = {n: item[n] for n in names if n in item and not isinstance(item[n], (dict, list, type(None)))}
    return ("k", key) if key else ("i", i)


def read_managers(managers):
    return {name: {**one, "fields": read_set(one["fields"])} for name, one in managers.items()}


def managers_equal(a, b):
    plain = lambda m: {name: {**one, "fields": one["fields"].text()} for name, one in m.items()}
    return plain(a) == plain(b)


def managers_difference(a, b):
    out = {}
    for name in [*a, *(n for n in b if n not in a)]:
        x, y = a.get(name), b.get(name)
        if x is None or y is None or x["apiVersion"] != y["apiVersion"]:
            one = y or x
        else:
            fields = x["fields"].combine(y["fields"], lambda m, n: m != n)
            one = {"apiVersion": x["apiVersion"], "applied": False, "fields": fields}
        if one["fields"].entries:
            out[name] = {**one, "fields": one["fields"].text()}
    return {"result": out}


COMBINED = {
    "union": lambda a, b: a or b,
    "intersection": lambda a, b: a and b,
    "difference": lambda a, b: a and not b,
}


def answer(request):
    op, a = request["op"], request.get("a")
    if op in COMBINED:
        return {"set": read_set(a).combine(read_set(request["b"]), COMBINED[op]).text()}
    if op == "recursiveDifference":
        return {"set": read_set(a).without_below(read_set(request["b"])).text()}
    if op in ("roundTrip", "copy"):
        return {"set": read_set(a).text()}
    if op == "leaves":
        return {"set": read_set(a).leaves().text()}
    if op == "equals":
        return {"result": read_set(a).text() == read_set(request["b"]).text()}
    if op == "size":
        size = len(read_set(a).paths())
        return {"result": size, "empty": size == 0}
    if op == "has":
        return {"result": read_set(a).has(read_path(request["path"]))}
    if op == "insert":
        return {"set": read_set(a).insert(read_path(request["path"])).text()}
    if op == "withPrefix":
        return {"set": read_set(a).at(read_path(request["path"])[0])[2].text()}
    if op == "filter":
        return {"set": filtered(read_set(a), request["filter"]).text()}
    if op == "iterate":
        paths = read_set(a).paths()
        texts = [[element_text(element) for element in path] for path in paths]
        return {"paths": texts, "strings": ["".join(map(element_string, path)) for path in paths]}
    if op == "setFromPaths":
        paths = [read_path(path) for path in request["paths"]]
        return {"set": functools.reduce(Set.insert, paths, Set()).text()}
    if op == "setFromValue":
        return {"set": set_of_value(request["value"]).text()}
    if op == "pathString":
        return {"result": "".join(map(element_string, read_path(request["path"])))}
    if op == "pathElement":
        element = read_element(a)
        return {"serialized": element_text(element), "string": element_string(element)}
    if op == "pathElementCompare":
        result = compare_elements(read_element(a), read_element(request["b"]))
        return {"result": result, "equals": result == 0}
    if op == "pathCompare":
        result = compare_paths(read_path(a), read_path(request["b"]))
        return {"result": result, "equals": result == 0}
    if op == "valueCompare":
        result = compare(a, request["b"])
        return {"result": result, "equals": result == 0}
    if op == "valueToString":
        return {"result": person_text(request["value"]), "json": write_json(request["value"])}
    if op == "valueFromJSON":
        return {"value": read_json(request["json"])}
    if op == "managersEquals":
        return {"result": managers_equal(read_managers(a), read_managers(request["b"]))}
    if op == "managersDifference":
        return managers_difference(read_managers(a), read_managers(request["b"]))
    return {"unsupported": True}


def read_path(path):
    return [read_element(element) for element in path]


def filtered(one, rules):
    if "exclude" in rules:
        return one.without_below(read_set(rules["exclude"]))
    patterns = [[part if part == "*" else read_element(part) for part in pattern] for pattern in rules["include"]]
    return one if not patterns or [] in patterns else one.matching(patterns)


for line in sys.stdin:
    asked = json.loads(line)
    try:
        answered = answer(asked)
    except (ValueError, KeyError) as error:
        answered = {"error": str(error)}
    print(json.dumps({"id": asked["id"], **answered}), flush=True)
