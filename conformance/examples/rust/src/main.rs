// Answers for a Rust port of structured-merge-diff: https://github.com/chenwenxiaolive/structured-merge-diff-rust
use serde_json::{json, Value as Json};
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use structured_merge_diff::fieldpath::{deserialize_path_element, serialize_path_element};
use structured_merge_diff::merge::ApplyError;
use structured_merge_diff::typed::{
    as_typed, as_typed_unvalidated, deduced_parseable_type, reconcile_field_set_with_schema, ParseableType, Parser, ValidationOption,
};
use structured_merge_diff::value::{from_json, to_json};
use structured_merge_diff::{APIVersion, FieldPathSet as Set, ManagedFields, Path, PathElement, TypedValue, Updater, Value};

/// None if the port lacks an operation or option.
type Answer = Option<Result<Json, String>>;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let request: Json = match serde_json::from_str(&line) {
            Ok(request) => request,
            Err(_) => continue,
        };
        let mut answer = match catch_unwind(AssertUnwindSafe(|| answer(&request))) {
            Err(_) => json!({"panic": "panicked"}),
            Ok(None) => json!({"unsupported": true}),
            Ok(Some(Err(error))) => json!({"error": error}),
            Ok(Some(Ok(answer))) => answer,
        };
        answer["id"] = request["id"].clone();
        println!("{answer}");
        let _ = std::io::stdout().flush();
    }
}

fn answer(request: &Json) -> Answer {
    let op = text(&request["op"]);
    if op == "updater" {
        return story(request);
    }
    let a = || set(&request["a"]);
    let b = || set(&request["b"]);
    Some(match op.as_str() {
        "valueCompare" => value(&request["a"]).and_then(|a| {
            value(&request["b"]).map(|b| json!({"result": a.cmp(&b) as i8, "equals": a == b}))
        }),
        "valueFromJSON" => from_json(&text(&request["json"])).map_err(show).and_then(|found| plain(&found)).map(|value| json!({ "value": value })),
        "pathElement" => element(&request["a"]).and_then(|one| {
            Ok(json!({"serialized": serialize_path_element(&one).map_err(show)?, "string": one.to_string()}))
        }),
        "pathElementCompare" => element(&request["a"]).and_then(|a| {
            element(&request["b"]).map(|b| json!({"result": a.cmp(&b) as i8, "equals": a == b}))
        }),
        "pathString" => path(&request["path"]).map(|path| json!({"result": path.to_string()})),
        "roundTrip" | "copy" => a().and_then(|a| set_answer(&a)),
        "size" => a().map(|a| json!({"result": a.size(), "empty": a.is_empty()})),
        "union" => both(a(), b(), Set::union),
        "intersection" => both(a(), b(), Set::intersection),
        "difference" => both(a(), b(), Set::difference),
        "recursiveDifference" => both(a(), b(), Set::recursive_difference),
        "equals" => a().and_then(|a| b().map(|b| json!({"result": a.equals(&b)}))),
        "has" => a().and_then(|a| path(&request["path"]).map(|path| json!({"result": a.has(&path)}))),
        "insert" => a().and_then(|mut a| {
            a.insert(&path(&request["path"])?);
            set_answer(&a)
        }),
        "iterate" => a().and_then(|a| {
            let (mut paths, mut strings) = (vec![], vec![]);
            a.iterate(|path| {
                paths.push(path_answer(path));
                strings.push(path.to_string());
            });
            Ok(json!({"paths": paths, "strings": strings}))
        }),
        "setFromPaths" => {
            let mut found = Set::new();
            let paths: Result<Vec<Path>, String> = list(&request["paths"]).iter().map(path).collect();
            paths.and_then(|paths| {
                paths.iter().for_each(|path| found.insert(path));
                set_answer(&found)
            })
        }
        "validate" => typed(request, "value")?.map(|_| json!({"ok": true})),
        "merge" => operands(request)?.and_then(|(lhs, rhs)| value_answer(&lhs.merge(&rhs).map_err(show)?)),
        "compare" => operands(request)?.and_then(|(lhs, rhs)| {
            let found = lhs.compare(&rhs).map_err(show)?;
            Ok(json!({
                "added": set_text(&found.added)?, "modified": set_text(&found.modified)?, "removed": set_text(&found.removed)?,
                "same": found.is_same(),
            }))
        }),
        "removeItems" => typed(request, "value")?.and_then(|value| value_answer(&value.remove_items(&set(&request["set"])?))),
        "extractItems" if request["appendKeyFields"] != true => {
            typed(request, "value")?.and_then(|value| value_answer(&value.extract_items(&set(&request["set"])?)))
        }
        "reconcileFieldSetWithSchema" => typed(request, "value")?.and_then(|value| {
            match reconcile_field_set_with_schema(&set(&request["set"])?, &value)? {
                Some(found) => set_answer(&found),
                None => Ok(json!({"set": null})),
            }
        }),
        _ => return None,
    })
}

/// A story of one object in one version. The port has converters and filters as traits, but this adapter implements none.
fn story(request: &Json) -> Answer {
    let beyond = ["converter", "typesByVersion", "ignoreFilter", "finalApiVersion", "unions", "enableUnions", "typeRef"];
    if beyond.iter().any(|name| !request[name].is_null()) {
        return None;
    }
    let steps = list(&request["steps"]);
    let known = ["apply", "forceApply", "update", "extractApply"];
    if steps.iter().any(|step| !known.contains(&text(&step["op"]).as_str()) || !step["objectYAML"].is_null()) || request["type"].is_null() && request["deduced"] != true {
        return None;
    }
    Some(tell(request, steps))
}

fn tell(request: &Json, steps: &[Json]) -> Result<Json, String> {
    let of = type_of(request)?;
    let mut builder = Updater::builder().return_input_on_noop(request["returnInputOnNoop"] == true);
    for (version, fields) in request["ignoredFields"].as_object().into_iter().flatten() {
        builder = builder.ignored_fields(APIVersion::new(version.clone()), set(fields)?);
    }
    let updater = builder.build();
    let mut live = as_typed_unvalidated(Value::Null, &of.schema, of.type_ref.clone());
    let mut managers = ManagedFields::new();
    let mut answers = vec![];
    for step in steps {
        let mut next = managers.copy();
        let mut out = json!({});
        match take(&updater, &of, step, &live, &mut next) {
            Ok(object) => {
                if text(&step["op"]) != "update" && request["returnInputOnNoop"] != true && object.value() == live.value() {
                    out["noop"] = json!(true);
                }
                (live, managers) = (object, next);
            }
            Err((error, conflicts)) => {
                out["error"] = json!(error);
                if !conflicts.is_empty() {
                    out["conflicts"] = json!(conflicts);
                }
            }
        }
        out["live"] = plain(live.value())?;
        out["managers"] = managers_answer(&managers)?;
        answers.push(out);
    }
    Ok(json!({ "steps": answers }))
}

type Failure = (String, Vec<Json>);

fn take(updater: &Updater, of: &ParseableType, step: &Json, live: &TypedValue, managers: &mut ManagedFields) -> Result<TypedValue, Failure> {
    let plainly = |error: String| (error, vec![]);
    let (op, manager, version) = (text(&step["op"]), text(&step["manager"]), APIVersion::new(text(&step["apiVersion"])));
    let options: &[ValidationOption] = if op == "update" { &[ValidationOption::AllowDuplicates] } else { &[] };
    let object = value(&step["object"]).map_err(plainly)?;
    let object = of.from_value_with_opts(object, options).map_err(|error| plainly(show(error)))?;
    if op == "update" {
        return updater.update(live, &object, &version, managers, &manager).map_err(|error| plainly(format!("{error:?}")));
    }
    let run = if op == "extractApply" { Updater::extract_apply } else { Updater::apply };
    let force = op == "forceApply" || step["force"] == true || op == "extractApply";
    run(updater, live, &object, &version, managers, &manager, force).map_err(|error| match error {
        ApplyError::Conflicts(found) => {
            let mut list: Vec<Json> = found
                .iter()
                .map(|one| json!({"manager": one.manager, "path": path_answer(&one.path), "pathString": one.path.to_string()}))
                .collect();
            list.sort_by_key(|one| one["manager"].to_string());
            (found.error(), list)
        }
        other => plainly(format!("{other:?}")),
    })
}

fn managers_answer(managers: &ManagedFields) -> Result<Json, String> {
    let mut out = json!({});
    for (name, owned) in managers.iter() {
        let fields = set_text(owned.set())?;
        out[name] = json!({"apiVersion": owned.api_version().as_str(), "applied": owned.applied(), "fields": fields});
    }
    Ok(out)
}

fn type_of(request: &Json) -> Result<ParseableType, String> {
    if request["deduced"] == true {
        return Ok(deduced_parseable_type());
    }
    let parser = Parser::new(&text(&request["schema"])).map_err(show)?;
    Ok(parser.type_by_name(&text(&request["type"])))
}

fn operands(request: &Json) -> Option<Result<(TypedValue, TypedValue), String>> {
    let lhs = typed(request, "lhs")?;
    let rhs = typed(request, "rhs")?;
    Some(lhs.and_then(|lhs| rhs.map(|rhs| (lhs, rhs))))
}

fn typed(request: &Json, name: &str) -> Option<Result<TypedValue, String>> {
    if !request["typeRef"].is_null() {
        return None;
    }
    let allows = request["allowDuplicates"] == true || request[format!("{name}AllowDuplicates")] == true;
    let options: &[ValidationOption] = if allows { &[ValidationOption::AllowDuplicates] } else { &[] };
    Some(type_of(request).and_then(|of| {
        let found = value(&request[name])?;
        if request["unvalidated"] == true {
            return Ok(as_typed_unvalidated(found, &of.schema, of.type_ref));
        }
        as_typed(found, &of.schema, of.type_ref.clone(), options).map_err(show)
    }))
}

fn both(a: Result<Set, String>, b: Result<Set, String>, join: fn(&Set, &Set) -> Set) -> Result<Json, String> {
    set_answer(&join(&a?, &b?))
}

fn set(json: &Json) -> Result<Set, String> {
    let text = json.as_str().map_or_else(|| json.to_string(), str::to_string);
    if text == "null" && json.is_null() {
        return Ok(Set::new());
    }
    Set::from_json(text.as_bytes()).map_err(show)
}

fn set_text(set: &Set) -> Result<String, String> {
    String::from_utf8(set.to_json().map_err(show)?).map_err(show)
}

fn set_answer(set: &Set) -> Result<Json, String> {
    Ok(json!({"set": set_text(set)?}))
}

fn value_answer(typed: &TypedValue) -> Result<Json, String> {
    Ok(json!({"value": plain(typed.value())?}))
}

fn plain(value: &Value) -> Result<Json, String> {
    serde_json::from_str(&to_json(value).map_err(show)?).map_err(show)
}

fn value(json: &Json) -> Result<Value, String> {
    from_json(&json.to_string()).map_err(show)
}

fn element(json: &Json) -> Result<PathElement, String> {
    deserialize_path_element(&text(json)).map_err(show)
}

fn path(json: &Json) -> Result<Path, String> {
    let elements: Result<Vec<PathElement>, String> = list(json).iter().map(element).collect();
    Ok(Path::from_elements(elements?))
}

fn path_answer(path: &Path) -> Vec<String> {
    path.iter().map(|one| serialize_path_element(one).unwrap_or_default()).collect()
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_string)
}

fn show(error: impl std::fmt::Display) -> String {
    error.to_string()
}
