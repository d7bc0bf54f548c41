import Hummingbird
import NIOCore
import TillCore
import TillStripe

/// What a reader asks the customer, over HTTP: `/v1/terminal/readers/{id}/inputs` and, for a simulated reader,
/// `…/answers`. Answers may be personal data: they are passed on and kept nowhere.
extension TerminalRoutes {
    /// Puts questions on a reader that has nothing else to do.
    func ask(_ id: String, _ incoming: Incoming) async throws -> Response {
        let inputs = try TerminalRoutes.inputs(try await incoming.document())
        let readers = try requireService().provider.terminal
        let reader = try await readers.reader(id)
        guard reader.deviceType.isSmart else { throw TerminalRoutes.isNotSmart }
        if let action = reader.action, action.status == .inProgress, action.kind != .setReaderDisplay {
            throw Problem(
                .conflict, "terminal_reader_busy", "The reader is busy with something else.",
                next: "Wait until it is done, or call it off.")
        }
        return questions(at: try await readers.collectInputs(inputs, at: id, key: key("inputs")))
    }

    /// How far the customer is with them.
    func asked(_ id: String) async throws -> Response {
        questions(at: try await requireService().provider.terminal.reader(id))
    }

    /// Answers for the customer of a simulated reader, skips what may be skipped, or lets nobody answer.
    func pretend(_ id: String, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["customer"])
        let customer = try body.text("customer", atMost: 20) ?? "answers"
        guard ["answers", "skips", "leaves"].contains(customer) else {
            throw Problem.field("customer", "It must be answers, skips or leaves.")
        }
        let readers = try requireService().provider.terminal
        guard try await readers.reader(id).deviceType.isSimulated else {
            throw Problem(.conflict, "reader_is_real", "This is no simulated reader.", next: "Ask a real customer.")
        }
        let after =
            customer == "leaves"
            ? try await readers.timeOutInputs(at: id, key: key("inputs"))
            : try await readers.succeedInputs(
                at: id, skipping: customer == "skips" ? "all" : "none", key: key("inputs"))
        return questions(at: after)
    }

    private static let isNotSmart = Problem(
        .conflict, "reader_needs_phone", "This reader is driven by a phone, not by the counter.",
        next: "Choose a smart reader.")

    private static func inputs(_ body: JSONValue) throws -> [TerminalInput] {
        try body.allow(["inputs"])
        guard let list = body["inputs"]?.arrayValue, TerminalInput.countOfQuestions.contains(list.count) else {
            throw Problem.field("inputs", "One to five questions, please.")
        }
        return try list.enumerated().map { try input($1, in: "inputs.\($0).") }
    }

    private static func input(_ json: JSONValue, in place: String) throws -> TerminalInput {
        guard json.objectValue != nil else {
            throw Problem.field(String(place.dropLast()), "It must be an object.")
        }
        try json.allow(["type", "title", "details", "required", "choices"], in: place)
        guard let kind = try json.text("type", in: place, atMost: 20), TerminalInput.kinds.contains(kind) else {
            throw Problem.field(
                place + "type", "It must be one of \(TerminalInput.kinds.joined(separator: ", ")).")
        }
        guard let title = try line(json, "title", in: place) else {
            throw Problem.field(place + "title", "It is missing: what is the customer asked?")
        }
        if let flag = json["required"], !flag.isNull, flag.boolValue == nil {
            throw Problem.field(place + "required", "It must be true or false.")
        }
        return TerminalInput(
            kind: kind, title: title, details: try line(json, "details", in: place),
            isRequired: json["required"]?.boolValue ?? false, choices: try choices(json, kind, in: place))
    }

    private static func choices(
        _ json: JSONValue, _ kind: String, in place: String
    ) throws -> [TerminalInput.Choice] {
        guard let value = json["choices"], !value.isNull else {
            if kind == "selection" { throw Problem.field(place + "choices", "A selection needs answers to choose.") }
            return []
        }
        let range = TerminalInput.countOfChoices
        guard kind == "selection", let list = value.arrayValue, range.contains(list.count) else {
            throw Problem.field(
                place + "choices", "A selection has \(range.lowerBound) to \(range.upperBound) answers.")
        }
        return try list.enumerated().map { index, choice in
            guard let text = choice.stringValue, let words = plain(text) else {
                throw Problem.field(
                    place + "choices", "Each must be text of 1 to \(TerminalInput.maximumBytes) bytes.")
            }
            return TerminalInput.Choice(id: "choice-\(index + 1)", text: words)
        }
    }

    private static func line(_ json: JSONValue, _ name: String, in place: String) throws -> String? {
        guard let text = try json.text(name, in: place, atMost: TerminalInput.maximumBytes) else { return nil }
        guard let words = plain(text) else {
            throw Problem.field(place + name, "It must be text in one line.")
        }
        return words
    }

    /// One line without control characters, and not empty.
    private static func plain(_ text: String) -> String? {
        let isLine = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        let isSaid = text.unicodeScalars.contains { !$0.properties.isWhitespace }
        return isLine && isSaid && text.utf8.count <= TerminalInput.maximumBytes ? text : nil
    }

    private func questions(at reader: TerminalReader) -> Response {
        let action = reader.action.flatMap { $0.kind == .collectInputs ? $0 : nil }
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("reader", reader.id)
        writer.field("label", reader.label)
        writer.field("status", action?.status.rawValue ?? "none")
        writer.field("failure_code", action?.failureCode)
        writer.key("answers")
        writer.beginArray()
        for answer in action?.inputs ?? [] {
            writer.beginObject()
            writer.field("type", answer.kind)
            writer.field("title", answer.title)
            writer.field("value", answer.value)
            writer.field("text", answer.text)
            writer.field("skipped", answer.isSkipped)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return payments.json(writer.bytes)
    }
}
