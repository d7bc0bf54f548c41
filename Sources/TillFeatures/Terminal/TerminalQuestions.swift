package import Hummingbird
import NIOCore
import TillCore
import TillCounter
import TillProvider
package import TillWeb

/// Customer questions on a reader over HTTP: `/v1/terminal/readers/{id}/inputs` and, for a simulated reader,
/// `…/answers`. Answers may be personal data: they are passed on and never stored.
extension TerminalRoutes {
    /// Shows questions on an idle reader.
    package func ask(_ id: String, _ incoming: Incoming) async throws -> Response {
        let inputs = try TerminalRoutes.inputs(try await incoming.document())
        return answers(try await questions(at: id).ask(inputs, at: id))
    }

    /// Returns the progress of the current questions.
    func asked(_ id: String) async throws -> Response { answers(try await questions(at: id).answers(at: id)) }

    /// Simulates the customer of a simulated reader: answers, skips what may be skipped, or leaves.
    func pretend(_ id: String, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["customer"])
        guard let customer = PretendedCustomer(rawValue: try body.text("customer", atMost: 20) ?? "answers") else {
            throw Problem.field("customer", "It must be answers, skips or leaves.")
        }
        return answers(try await questions(at: id).pretend(customer, at: id))
    }

    private func questions(at id: String) async throws -> any ReaderQuestions {
        guard let questions = try await fleet(with: id).questions else {
            throw Problem(
                .conflict, "unsupported", "This reader cannot ask questions.", next: "Ask the customer yourself.")
        }
        return questions
    }

    private static func inputs(_ body: JSONValue) throws -> [ReaderQuestion] {
        try body.allow(["inputs"])
        guard let list = body["inputs"]?.arrayValue, ReaderQuestion.countOfQuestions.contains(list.count) else {
            throw Problem.field("inputs", "One to five questions, please.")
        }
        return try list.enumerated().map { try input($1, in: "inputs.\($0).") }
    }

    private static func input(_ json: JSONValue, in place: String) throws -> ReaderQuestion {
        guard json.objectValue != nil else {
            throw Problem.field(String(place.dropLast()), "It must be an object.")
        }
        try json.allow(["type", "title", "details", "required", "choices"], in: place)
        guard let kind = try json.text("type", in: place, atMost: 20).flatMap(ReaderQuestion.Kind.init(rawValue:))
        else {
            let kinds = ReaderQuestion.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field(place + "type", "It must be one of \(kinds).")
        }
        guard let title = try line(json, "title", in: place) else {
            throw Problem.field(place + "title", "It is missing: what is the customer asked?")
        }
        if let flag = json["required"], !flag.isNull, flag.boolValue == nil {
            throw Problem.field(place + "required", "It must be true or false.")
        }
        return ReaderQuestion(
            kind: kind, title: title, details: try line(json, "details", in: place),
            isRequired: json["required"]?.boolValue ?? false, choices: try choices(json, kind, in: place))
    }

    private static func choices(
        _ json: JSONValue, _ kind: ReaderQuestion.Kind, in place: String
    ) throws -> [String] {
        guard let value = json["choices"], !value.isNull else {
            if kind == .selection { throw Problem.field(place + "choices", "A selection needs answers to choose.") }
            return []
        }
        let range = ReaderQuestion.countOfChoices
        guard kind == .selection, let list = value.arrayValue, range.contains(list.count) else {
            throw Problem.field(
                place + "choices", "A selection has \(range.lowerBound) to \(range.upperBound) answers.")
        }
        return try list.map { choice in
            guard let text = choice.stringValue, let words = plain(text) else {
                throw Problem.field(
                    place + "choices", "Each must be text of 1 to \(ReaderQuestion.maximumBytes) bytes.")
            }
            return words
        }
    }

    private static func line(_ json: JSONValue, _ name: String, in place: String) throws -> String? {
        guard let text = try json.text(name, in: place, atMost: ReaderQuestion.maximumBytes) else { return nil }
        guard let words = plain(text) else {
            throw Problem.field(place + name, "It must be text in one line.")
        }
        return words
    }

    /// Returns the text if it is a single non-empty line without control characters.
    private static func plain(_ text: String) -> String? {
        let isLine = text.isOneLine
        let isSaid = text.unicodeScalars.contains { !$0.properties.isWhitespace }
        return isLine && isSaid && text.utf8.count <= ReaderQuestion.maximumBytes ? text : nil
    }

    private func answers(_ form: ReaderAnswers) -> Response {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("reader", form.reader)
        writer.field("label", form.label)
        writer.field("status", form.status?.rawValue ?? "none")
        writer.field("failure_code", form.failureCode)
        writer.key("answers")
        writer.beginArray()
        for answer in form.answers {
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
        return .json(writer.bytes)
    }
}
