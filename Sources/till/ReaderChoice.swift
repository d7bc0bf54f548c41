import Foundation
import TillCore
import TillServer
import TillStripe

/// The reader that this counter uses unless another is named: `till readers connect`. Kept in a small file
/// beside the journal, so that the page and the next command know it too.
struct ReaderChoice {
    /// What `--reader` says for it.
    static let word = "connected"

    let id: String
    let label: String

    private static func path(_ counter: Counter) -> String { counter.options.files + "-reader.json" }

    /// The one that was chosen; `nil` if none was.
    static func read(_ counter: Counter) -> ReaderChoice? {
        guard let data = FileManager.default.contents(atPath: path(counter)), data.count < 4096,
            let json = JSONValue(ifValid: Array(data)), let id = json["id"]?.stringValue
        else { return nil }
        return ReaderChoice(id: id, label: json["label"]?.stringValue ?? id)
    }

    func write(_ counter: Counter) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("label", label)
        writer.endObject()
        do {
            try Data(writer.bytes).write(to: URL(filePath: ReaderChoice.path(counter)), options: .atomic)
        } catch {
            throw CommandError(
                code: "not_written", what: "The choice could not be written to \(ReaderChoice.path(counter)).",
                next: "Check the folder's rights and the disk.")
        }
    }

    /// Removes the choice, so that the next command asks again.
    /// - Throws: ``CommandError`` if none was chosen.
    static func forget(_ counter: Counter) throws -> ReaderChoice {
        guard let choice = read(counter) else {
            throw CommandError(
                code: "reader_not_connected", what: "No reader is connected.",
                next: "Connect one: till readers connect.")
        }
        try FileManager.default.removeItem(atPath: path(counter))
        return choice
    }
}

extension TerminalReader {
    /// Refuses a command that would push aside what the reader is at.
    func mustBeFree() throws {
        guard action?.status == .inProgress, action?.kind != .setReaderDisplay else { return }
        throw CommandError(
            code: "terminal_reader_busy", what: "\(label) is busy with something else.",
            next: "Wait until it is done, or call it off: till readers cancel.")
    }
}

extension Counter {
    /// Stripe's readers and places, which this command also manages, or why there are none.
    func readers() throws -> StripeTerminal {
        guard let stripe = modules.lazy.compactMap({ $0 as? StripeModule }).first else {
            throw CommandError(
                code: "no_readers", what: "Card readers need Stripe.",
                next: "Add --provider stripe, with TILL_STRIPE_KEY or with --stripe-url of a sandbox.")
        }
        return stripe.terminal.terminal
    }

    /// The reader of a name, or the connected one.
    func reader(_ name: String?) async throws -> TerminalReader {
        try await readers().reader(named: try chosenReader(name))
    }

    /// What a reader is looked up by: the name itself, or the id of the connected one.
    func chosenReader(_ name: String?) throws -> String {
        let wanted = name == ReaderChoice.word ? nil : name
        guard let word = wanted ?? ReaderChoice.read(self)?.id else {
            throw CommandError(
                code: "reader_not_connected", what: "No reader was named and none is connected.",
                next: "Name one by its label or id, or connect one: till readers connect.")
        }
        return word
    }
}
