import Foundation
import Mustache

// mustache-receipts TEMPLATE DOCUMENT: pages a second; with `page` as a third argument the page.
let arguments = CommandLine.arguments
let template = try MustacheTemplate(string: try String(contentsOfFile: arguments[1], encoding: .utf8))
let data = try Data(contentsOf: URL(fileURLWithPath: arguments[2]))
let document = try JSONSerialization.jsonObject(with: data)

/// What JSON holds, in the types that a template asks for.
func plain(_ value: Any) -> Any? {
    switch value {
    case is NSNull: nil
    case let text as String: text
    case let number as NSNumber: number.boolValue
    case let list as [Any]: list.map { plain($0) as Any }
    case let object as [String: Any]: object.compactMapValues { plain($0) }
    default: nil
    }
}
let context = plain(document) as Any

/// What this process has used.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}
if arguments.count > 3 {
    print(template.render(context), terminator: "")
} else {
    var count = 0
    for _ in 0..<50 { count += template.render(context).utf8.count }
    let start = processorSeconds()
    var calls = 0
    while processorSeconds() - start < 2 {
        for _ in 0..<10 { count += template.render(context).utf8.count }
        calls += 10
    }
    print(Int(Double(calls) / (processorSeconds() - start)))
}
