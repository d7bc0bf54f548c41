import Foundation
import TillCanvas
import TillCore
import TillReceipts

/// How many receipts a second one core makes, and whether memory stays where it is.
///
///     receipt-benchmark            one JSON object of metrics
///     receipt-benchmark page       the page of the measured receipt
///     receipt-benchmark document   what stands on it, as JSON for templates of others
@main
struct ReceiptBenchmark {
    /// How long each form is measured.
    static let seconds = 2.0

    static func main() throws {
        let content = receipt()
        switch CommandLine.arguments.dropFirst().first {
        case "page": FileHandle.standardOutput.write(Data(ReceiptRenderer.htmlBytes(ReceiptDocument(content))))
        case "document": FileHandle.standardOutput.write(Data(DocumentJSON.value(ReceiptDocument(content)).bytes()))
        default: try measure(content)
        }
    }

    /// The sample sale without its code, so that templates need none.
    static func receipt() -> ReceiptContent {
        var content = ReceiptSample.sale.content()
        content.link = nil
        return content
    }

    private static func measure(_ content: ReceiptContent) throws {
        let canvas = try Canvas()
        let document = ReceiptDocument(content)
        var metrics: [JSONMember] = []
        func add(_ name: String, _ value: Int) {
            metrics.append(JSONMember(key: name, value: .number(String(value))))
        }
        add("html_from_content", try rate { ReceiptRenderer.htmlBytes(ReceiptDocument(content)).count })
        add("html_from_document", try rate { ReceiptRenderer.htmlBytes(document).count })
        add("text", try rate { ReceiptRenderer.text(content).utf8.count })
        add("json", try rate { content.jsonValue.bytes().count })
        add("escpos", try rate { ReceiptRenderer.escpos(ReceiptDocument(content), profile: .wide).bytes.count })
        add("pdf", try rate { try canvas.pdf(ReceiptDocument(content)).count })
        add("raster", try rate { try canvas.dots(ReceiptDocument(content), width: 576).bytes.count })
        // Every form of a hundred thousand receipts, and what they leave behind.
        var kept = 0
        for count in 1...100_000 {
            kept &+= ReceiptRenderer.htmlBytes(ReceiptDocument(content)).count
            if count.isMultiple(of: 100) {
                kept &+= try canvas.pdf(ReceiptDocument(content)).count
                kept &+= try canvas.dots(ReceiptDocument(content), width: 576).bytes.count
            }
            if count == 10_000 { add("resident_kib_after_10000", resident()) }
        }
        add("resident_kib_after_100000", resident())
        add("page_bytes", ReceiptRenderer.htmlBytes(document).count)
        FileHandle.standardOutput.write(Data(JSONValue.object(metrics).bytes() + [0x0A]))
        if kept == 0 { print("") }
    }

    /// Calls a second of processor time, after some to warm up: what else the machine does is left out.
    private static func rate(_ body: () throws -> Int) rethrows -> Int {
        var kept = 0
        for _ in 0..<20 { kept &+= try body() }
        let start = processorSeconds()
        var calls = 0
        while processorSeconds() - start < seconds {
            for _ in 0..<10 { kept &+= try body() }
            calls += 10
        }
        return kept == 0 ? 0 : Int(Double(calls) / (processorSeconds() - start))
    }

    /// What this process has used.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// Memory of this process, in KiB; 0 where the system does not say.
    private static func resident() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}

/// A laid out receipt as JSON.
enum DocumentJSON {
    static func value(_ document: ReceiptDocument) -> JSONValue {
        object([
            ("language", .string(document.language)), ("title", .string(document.title.plain)),
            ("blocks", .array(document.blocks.compactMap { block($0) })),
        ])
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember(key: $0.0, value: $0.1) })
    }

    private static func block(_ block: ReceiptDocument.Block) -> JSONValue? {
        switch block {
        case .heading(let text): object([("heading", .string(text.plain))])
        case .line(let text): object([("line", .string(text.plain))])
        case .named(let name, let text, _):
            object([("named", object([("name", .string(name.plain)), ("text", .string(text.plain))]))])
        case .notice(let headline, let sentence, let label, _):
            object([
                (
                    "notice",
                    object([
                        ("headline", .string(headline.plain)), ("label", .string(label.plain)),
                        ("sentence", sentence.map { .string($0.plain) } ?? .null),
                    ])
                )
            ])
        case .table(let table): object([("table", self.table(table))])
        case .image, .code, .signature, .rule, .cut: nil
        }
    }

    private static func table(_ table: ReceiptDocument.Table) -> JSONValue {
        object([
            ("caption", .string(table.caption.plain)), ("amounts", .bool(table.holdsAmounts)),
            ("item", table.columns.first.map { .string($0.plain) } ?? .null),
            ("others", .array(table.columns.dropFirst().map { .string($0.plain) })),
            (
                "rows",
                .array(
                    table.rows.map { row in
                        object([
                            ("label", .string(row.label.plain)), ("value", .string(row.value.plain)),
                            ("long", .bool(row.value.plain.utf8.count > 24 && !row.value.plain.contains(" "))),
                            ("strong", .bool(row.isStrong)), ("middle", row.middle.map { .string($0.plain) } ?? .null),
                            ("has_details", .bool(!row.details.isEmpty)),
                            ("details", .array(row.details.map { .string($0.plain) })),
                        ])
                    })
            ),
        ])
    }
}
