//! The table of results.

use std::fmt::Write;

use serde_json::Value;

/// One row for each subject, as Markdown.
pub fn markdown(results: &[Value]) -> String {
    let mut table = String::from(
        "| subject | builds, s (x clang) | tests: clang | plain | instrumented | time x clang | \
         memory checks | runs | alarms | time x instrumented | trace: events | expressions | MB | ms | lost |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for result in results {
        let _ = writeln!(table, "| {} |", row(result).join(" | "));
    }
    let n_passed = results.iter().filter(|result| result["passed"] == true).count();
    let _ = writeln!(table, "\n{n_passed} of {} subjects pass.", results.len());
    for result in results {
        for alarm in result["alarms"].as_array().into_iter().flatten() {
            let part = |name: &str| text(&alarm[name]);
            let (test, error, place) = (part("test"), part("error"), part("place"));
            let _ = writeln!(table, "{}, an alarm: {test}: {error}, {place}", text(&result["subject"]));
        }
        for bug in result["bugs"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let _ = writeln!(table, "{}, a bug that the memory checks find: {bug}", text(&result["subject"]));
        }
        for build in ["plain", "instrumented", "memory"] {
            let failed: Vec<&str> =
                result["failed"][build].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if !failed.is_empty() {
                let _ = writeln!(table, "{}, {build}: {} fail", text(&result["subject"]), failed.join(", "));
            }
        }
    }
    table
}

fn row(result: &Value) -> Vec<String> {
    let subject = format!("{} {}", text(&result["subject"]), text(&result["version"]));
    if result["builds"] != true {
        return [vec![subject, "no".to_owned()], vec!["-".to_owned(); 13]].concat();
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let ratio = |new: &Value, old: &Value| number(new) / number(old);
    let (trace, times, passed) = (&result["trace"], &result["check_s"], &result["tests_passed"]);
    let tests = |build: &str| format!("{} of {}", passed[build], result["tests"]);
    let lost: u64 = trace["lost"].as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum();
    let build = number(&result["build_s"]);
    let mut row = vec![
        subject,
        format!("yes, {build:.1} ({:.1})", ratio(&result["build_s"], &result["clang_build_s"])),
        tests("clang"),
        tests("plain"),
        tests("instrumented"),
        format!("{:.2}", ratio(&times["instrumented"], &times["clang"])),
        tests("memory"),
        result["memory_runs"].to_string(),
        result["alarms"].as_array().map_or(0, Vec::len).to_string(),
        format!("{:.2}", ratio(&times["memory"], &times["instrumented"])),
    ];
    match trace["events"].as_u64() {
        None => row.extend(vec!["no".to_owned(); 5]),
        Some(n_events) => row.extend([
            n_events.to_string(),
            trace["expressions"].to_string(),
            format!("{:.2}", number(&trace["bytes"]) / 1e6),
            format!("{:.1}", number(&trace["elapsed_us"]) / 1e3),
            lost.to_string(),
        ]),
    }
    row
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}
