package import TillCore
import TillWeb

/// The last failure of the work with a shop, or with one of its orders, as it is kept and shown.
package struct ShopTrouble: Hashable, Sendable {
    /// The stable code of the failure.
    package var code: String
    /// What failed, and what to do next.
    package var sentence: String
    package var since: Timestamp

    init(code: String, sentence: String, since: Timestamp) {
        (self.code, self.sentence, self.since) = (code, sentence, since)
    }

    /// Describes an error.
    init(_ error: any Error, at now: Timestamp) {
        switch error {
        case let problem as Problem:
            self.init(code: problem.code, sentence: "\(problem.detail) \(problem.next)", since: now)
        case let explained as any ExplainedError:
            self.init(code: explained.code, sentence: "\(explained.what) \(explained.next)", since: now)
        default: self.init(code: "internal", sentence: "\(error)", since: now)
        }
    }

    var json: JSONValue {
        .members([
            "code": .string(code), "sentence": .string(sentence), "since": .number(String(since.milliseconds)),
        ])
    }

    /// Reads the stored form.
    init?(json: JSONValue?) {
        guard let code = json?["code"]?.stringValue, let sentence = json?["sentence"]?.stringValue,
            let since = json?["since"]?.int64Value
        else { return nil }
        self.init(code: code, sentence: sentence, since: Timestamp(milliseconds: since))
    }

    /// Writes it for people and programs.
    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("code", code)
        writer.field("sentence", sentence)
        writer.field("since", since.description)
        writer.endObject()
    }
}
